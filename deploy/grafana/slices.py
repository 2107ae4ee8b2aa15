"""Scores and traffic of a service by the values of an attribute."""

from collections.abc import Mapping

from deploy.grafana.panels import Panel, Query, table, timeseries

_SERVICE = 'service="$service"'
_SLICE = 'attribute="$slice"'
_FAITHFULNESS, _HALLUCINATION = (
    f'{{metric="{name}",{_SERVICE},judge="$judge",{_SLICE}}}' for name in ("faithfulness", "hallucination")
)
_BAD = "slice:groundwatch_bad_share"


def row() -> list[Panel]:
    """The table with intervals, and the course of what is in it."""
    return [
        table(
            "Scores by slice, 95% interval",
            "Answers of 30 minutes by the value of the attribute chosen above. Two values differ where their intervals "
            "do not meet; __none__ are traces without the attribute, __other__ values beyond the limit.",
            _columns(),
            by=["value"],
        ),
        timeseries(
            "Unsupported answers by slice",
            "Share of answers that scored 0.85 or less for faithfulness in 30 minutes. The table has the intervals.",
            Query(f"{_BAD}:ratio30m{_FAITHFULNESS}", "{{value}}"),
            unit="percentunit",
            top=1,
        ),
        timeseries(
            "Mean faithfulness by slice",
            "Supported claims / claims, averaged over the answers of 30 minutes.",
            Query(f"slice:groundwatch_score:mean30m{_FAITHFULNESS}", "{{value}}"),
            unit="percentunit",
            top=1,
        ),
        timeseries(
            "Share of traffic by slice",
            "Of the traces with a retrieval in 30 minutes, judged or not: a new model or prompt shows here first.",
            Query(f"service_attribute_value:groundwatch_traces:share30m{{{_SERVICE},{_SLICE}}}", "{{value}}"),
            unit="percentunit",
            stacked=True,
            top=1,
        ),
    ]


def _columns() -> Mapping[str, tuple[str, str]]:
    return {
        "Answers": (f"sum by (value) (slice:groundwatch_scores:increase30m{_FAITHFULNESS}) > 0", "none"),
        "Mean faithfulness": (f"avg by (value) (slice:groundwatch_score:mean30m{_FAITHFULNESS})", "percentunit"),
        **_share("Unsupported", _FAITHFULNESS),
        **_share("Contradicted", _HALLUCINATION),
    }


def _share(name: str, of: str) -> Mapping[str, tuple[str, str]]:
    """A share of answers with the ends of its interval."""
    columns = {name: "ratio30m", f"{name} from": "low30m", f"{name} to": "high30m"}
    return {column: (f"avg by (value) ({_BAD}:{end}{of})", "percentunit") for column, end in columns.items()}
