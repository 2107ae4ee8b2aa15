"""Spans from Kafka, and what roles hand to each other there."""

from deploy.grafana.panels import GREEN, RED, YELLOW, Panel, Query, stat, steps, timeseries

_I = 'instance=~"$instance"'


def row() -> list[Panel]:
    """Panels that stay empty without Kafka."""
    return [*_now(), *_over_time()]


def _now() -> list[Panel]:
    return [
        stat(
            "Connected",
            "Workers that reach their brokers, of all that read from Kafka.",
            Query(f"avg(groundwatch_kafka_connected{{{_I}}})"),
            "percentunit",
            thresholds=steps((None, RED), (1, GREEN)),
        ),
        stat(
            "Lag",
            "Messages not yet taken, over all partitions.",
            Query(f"sum(groundwatch_kafka_lag_messages{{{_I}}})"),
            "short",
        ),
        stat(
            "Watermark age",
            "Since the oldest message of an unjudged trace was taken: so much is read again after a restart.",
            Query(f"max(groundwatch_kafka_watermark_age_seconds{{{_I}}})"),
            "s",
            thresholds=steps((None, GREEN), (300, YELLOW), (900, RED)),
        ),
        stat(
            "Stopped partitions",
            "Partitions that stand still before a message that can go nowhere.",
            Query(f'sum(groundwatch_kafka_partitions{{state="stopped",{_I}}})'),
            "none",
            thresholds=steps((None, GREEN), (1, RED)),
        ),
        stat(
            "Dead letters",
            "Messages that could not be decoded within the time range.",
            Query(
                f'sum(increase(groundwatch_kafka_messages_total{{outcome=~"dead_letter|passed_over",{_I}}}[$__range]))',
                instant=True,
            ),
            "none",
            thresholds=steps((None, GREEN), (1, YELLOW)),
        ),
        stat(
            "To read again",
            "Partitions whose evaluations are still read again; until it is 0 the alerting process decides nothing.",
            Query(f"sum(groundwatch_stream_replay_messages{{{_I}}})"),
            "none",
            thresholds=steps((None, GREEN), (1, YELLOW)),
        ),
    ]


def _over_time() -> list[Panel]:
    return [
        timeseries(
            "Lag by topic",
            "Messages not yet taken, and those taken whose offset is not committed because their trace is not judged.",
            Query(f"sum by (topic) (groundwatch_kafka_lag_messages{{{_I}}})", "{{topic}} waiting"),
            Query(f"sum by (topic) (groundwatch_kafka_uncommitted_messages{{{_I}}})", "{{topic}} uncommitted"),
        ),
        timeseries(
            "Messages",
            "By what became of them; tombstones are empty.",
            Query(
                f"sum by (topic, outcome) (rate(groundwatch_kafka_messages_total{{{_I}}}[$__rate_interval]))",
                "{{topic}} {{outcome}}",
            ),
            Query(
                f"sum by (topic) (rate(groundwatch_kafka_unkeyed_messages_total{{{_I}}}[$__rate_interval]))",
                "{{topic}} without key",
            ),
            unit="reqps",
        ),
        timeseries(
            "Partitions by state",
            "Paused ones wait for room, stopped ones for the dead-letter topic.",
            Query(f"sum by (state) (groundwatch_kafka_partitions{{{_I}}})", "{{state}}"),
            stacked=True,
        ),
        timeseries(
            "Watermark age by topic",
            "Since the oldest message of an unjudged trace was taken.",
            Query(f"max by (topic) (groundwatch_kafka_watermark_age_seconds{{{_I}}})", "{{topic}}"),
            unit="s",
            thresholds=steps((None, GREEN), (900, RED)),
        ),
        timeseries(
            "Assignments, pauses and commits",
            "Per minute: assignments of partitions, traces handed back for them, partitions that were paused because "
            "judges are behind, commits that failed, offsets that were gone.",
            *(
                Query(f"sum(rate(groundwatch_{series}{{{condition}{_I}}}[$__rate_interval])) * 60", legend)
                for series, condition, legend in (
                    ("kafka_rebalances_total", "", "assignments"),
                    ("kafka_traces_handed_back_total", "", "traces handed back"),
                    ("kafka_pauses_total", "", "pauses"),
                    ("kafka_commits_total", 'outcome="failed",', "failed commits"),
                    ("kafka_offset_resets_total", "", "lost offsets"),
                )
            ),
        ),
        timeseries(
            "Messages between roles",
            "Spans from receive to evaluate and evaluations from there to alert, by what became of them.",
            Query(
                f"sum by (topic, outcome) (rate(groundwatch_stream_messages_total{{{_I}}}[$__rate_interval]))",
                "{{topic}} {{outcome}}",
            ),
            Query(f"sum by (topic) (groundwatch_stream_messages_pending{{{_I}}})", "{{topic}} on their way"),
        ),
    ]
