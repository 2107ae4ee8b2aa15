"""groundwatch itself: what comes in, what it holds, what goes out."""

from typing import Any

from deploy.grafana import content, kafka
from deploy.grafana.boards import choice, dashboard
from deploy.grafana.panels import GREEN, RED, YELLOW, Panel, Query, stat, steps, table, timeseries

_I = 'instance=~"$instance"'
_BUILD = f"groundwatch_build_info{{{_I}}}"
_YOUNGEST = (
    f"min by (version, python) ({_BUILD} * on (job, instance) group_left () (time() - process_start_time_seconds))"
)


def build() -> dict[str, Any]:
    """The dashboard."""
    return dashboard(
        "groundwatch-monitor",
        "groundwatch / monitor",
        "The monitor's own health.",
        [
            ("Now", _now()),
            ("In", _intake()),
            ("Out", _outlet()),
            ("Process", _process()),
            ("Kafka", kafka.row()),
            ("Logs, stores, write-back", content.row()),
        ],
        [choice("instance", "Instance", "label_values(groundwatch_build_info, instance)", several=True)],
    )


def _now() -> list[Panel]:
    return [
        stat(
            "Up",
            "Instances that answer Prometheus, of those that it knows.",
            Query(f'sum(up{{job="groundwatch",{_I}}}) / count(up{{job="groundwatch",{_I}}})'),
            "percentunit",
            thresholds=steps((None, RED), (1, GREEN)),
        ),
        stat(
            "Spans",
            "Spans received per second.",
            Query(f"sum(rate(groundwatch_spans_received_total{{{_I}}}[$__rate_interval]))"),
            "reqps",
        ),
        stat(
            "Rejected",
            "Share of spans that a receiver refused within 10 minutes, of the worst receiver.",
            Query("max(receiver:groundwatch_spans_rejected:ratio_rate10m)"),
            "percentunit",
            thresholds=steps((None, GREEN), (0.001, YELLOW), (0.01, RED)),
        ),
        stat(
            "Open traces", "Traces that still wait for spans.", Query(f"sum(groundwatch_open_traces{{{_I}}})"), "none"
        ),
        stat(
            "Memory",
            "Resident memory of the receiving process, the largest instance.",
            Query(f'max(process_resident_memory_bytes{{job="groundwatch",{_I}}})'),
            "bytes",
        ),
        stat(
            "Lost signals",
            "Alerts that reached a notifier too late or not at all within the time range.",
            Query(
                'sum(increase(groundwatch_notifications_total{outcome=~"rejected|gave_up|dropped"}[$__range]))',
                instant=True,
            ),
            "none",
            thresholds=steps((None, GREEN), (1, RED)),
        ),
    ]


def _intake() -> list[Panel]:
    return [
        timeseries(
            "Spans received",
            "By receiver. Spans without a marker, most of a mixed fleet, are not kept and cost little.",
            Query(
                f"sum by (receiver) (rate(groundwatch_spans_received_total{{{_I}}}[$__rate_interval]))", "{{receiver}}"
            ),
            Query(
                f"sum by (receiver) (rate(groundwatch_spans_ordinary_total{{{_I}}}[$__rate_interval]))",
                "{{receiver}} without marker",
            ),
            unit="reqps",
        ),
        timeseries(
            "Spans rejected",
            "By reason; exporters do not show this to anybody.",
            Query(
                f"sum by (receiver, reason) (rate(groundwatch_spans_rejected_total{{{_I}}}[$__rate_interval]))",
                "{{receiver}} {{reason}}",
            ),
            unit="reqps",
        ),
        timeseries(
            "Spans dropped",
            "Accepted spans that no trace took: repeated, late, or over the limit of a trace.",
            Query(f"sum by (reason) (rate(groundwatch_spans_dropped_total{{{_I}}}[$__rate_interval]))", "{{reason}}"),
            unit="reqps",
        ),
        timeseries(
            "Open traces",
            "Traces that still wait for spans.",
            Query(f"sum by (instance) (groundwatch_open_traces{{{_I}}})", "{{instance}}"),
        ),
        timeseries(
            "Bytes of open traces",
            "Above the limit the oldest trace is closed early and counted as evicted.",
            Query(f"sum by (instance) (groundwatch_open_trace_bytes{{{_I}}})", "{{instance}}"),
            unit="bytes",
        ),
        timeseries(
            "Labels over their limit",
            "Values per second that were replaced by __other__.",
            Query(f"sum by (label) (rate(groundwatch_label_overflow_total{{{_I}}}[$__rate_interval]))", "{{label}}"),
        ),
    ]


def _outlet() -> list[Panel]:
    return [
        timeseries(
            "Signals raised",
            "Alerts of the monitor's own rules, per hour, and those that a cause which was told already kept back.",
            Query(
                f"sum by (rule, severity) (rate(groundwatch_signals_total{{{_I}}}[$__rate_interval])) * 3600",
                "{{rule}} ({{severity}})",
            ),
            Query(
                f"sum(rate(groundwatch_signals_inhibited_total{{{_I}}}[$__rate_interval])) * 3600 or vector(0)",
                "kept back",
            ),
        ),
        timeseries(
            "Notifications",
            "Signals by what became of them at a notifier.",
            Query(
                f"sum by (notifier, outcome) (rate(groundwatch_notifications_total{{{_I}}}[$__rate_interval]))",
                "{{notifier}} {{outcome}}",
            ),
        ),
        timeseries(
            "Waiting notifications",
            "Signals that a notifier still has to be told.",
            Query(f"sum by (notifier) (groundwatch_notifications_pending{{{_I}}})", "{{notifier}}"),
        ),
    ]


def _process() -> list[Panel]:
    return [
        timeseries(
            "Event loop lag",
            "How late timers run: median and 99%. Above the line it lacks CPU.",
            *(
                Query(
                    "histogram_quantile("
                    f"{q}, sum by (instance, le) (rate(groundwatch_event_loop_lag_seconds_bucket{{{_I}}}"
                    "[$__rate_interval])))",
                    f"{{{{instance}}}} {q:.0%}",
                )
                for q in (0.5, 0.99)
            ),
            unit="s",
            thresholds=steps((None, GREEN), (0.25, RED)),
            width=6,
        ),
        timeseries(
            "CPU",
            "Cores that the receiving process uses; workers of CPU-bound judges are not counted.",
            Query(f'rate(process_cpu_seconds_total{{job="groundwatch",{_I}}}[$__rate_interval])', "{{instance}}"),
            width=6,
        ),
        timeseries(
            "Memory",
            "Resident memory of the receiving process.",
            Query(f'process_resident_memory_bytes{{job="groundwatch",{_I}}}', "{{instance}}"),
            unit="bytes",
            width=6,
        ),
        timeseries(
            "Open files",
            "File descriptors in use, of those allowed.",
            Query(
                f'process_open_fds{{job="groundwatch",{_I}}} / process_max_fds{{job="groundwatch",{_I}}}',
                "{{instance}}",
            ),
            unit="percentunit",
            width=6,
        ),
        table(
            "Versions",
            "What runs, and since when the youngest of them does.",
            {
                "Instances": (f"count by (version, python) ({_BUILD})", "none"),
                "Youngest": (_YOUNGEST, "s"),
            },
            by=("version", "python"),
            height=4,
        ),
    ]
