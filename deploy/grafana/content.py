"""Content that comes besides spans, as logs or from a store, and verdicts that go back."""

from deploy.grafana.panels import Panel, Query, timeseries

_I = 'instance=~"$instance"'


def row() -> list[Panel]:
    """Panels of which most stay empty where nothing of the kind is set."""
    return [
        timeseries(
            "Log records",
            "All that arrive; those without content of a model are acknowledged and not kept.",
            *(
                Query(f"sum(rate(groundwatch_log_records_{series}_total{{{_I}}}[$__rate_interval]))", legend)
                for series, legend in (("received", "received"), ("ordinary", "not kept"), ("rejected", "rejected"))
            ),
            unit="reqps",
            width=6,
        ),
        timeseries(
            "Log events",
            "Log records that were joined to their spans, and those that no span took, by reason.",
            Query(f"sum(rate(groundwatch_log_events_joined_total{{{_I}}}[$__rate_interval]))", "joined"),
            Query(
                f"sum by (reason) (rate(groundwatch_log_events_dropped_total{{{_I}}}[$__rate_interval]))",
                "dropped: {{reason}}",
            ),
            unit="reqps",
            width=6,
        ),
        timeseries(
            "Chunk store",
            "Documents looked up for chunks that came without text, by what became of it; empty without a store.",
            Query(
                f"sum by (outcome) (rate(groundwatch_chunk_store_lookups_total{{{_I}}}[$__rate_interval]))",
                "{{outcome}}",
            ),
            unit="reqps",
            width=6,
        ),
        timeseries(
            "Written back",
            "Verdicts sent to the trace backend, by what became of them; empty unless write_back is set.",
            Query(
                f"sum by (kind, outcome) (rate(groundwatch_written_back_total{{{_I}}}[$__rate_interval]))",
                "{{kind}} {{outcome}}",
            ),
            unit="reqps",
            width=6,
        ),
    ]
