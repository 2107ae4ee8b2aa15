"""What the applications themselves take: latency, tokens and cost."""

from deploy.grafana.panels import Panel, Query, timeseries

_ONE = 'service="$service"'
_COUNTED = "Of traces that a judge may look at."
_A_DAY = 86_400


def of_all() -> list[Panel]:
    """One line for each service."""
    return [
        timeseries(
            "Latency",
            f"95% of a service's answers came within this time. {_COUNTED}",
            Query(f"histogram_quantile(0.95, {_rate('service, le', 'latency_seconds_bucket')})", "{{service}}"),
            unit="s",
        ),
        timeseries(
            "Tokens",
            f"Tokens per second of the applications' own model calls. {_COUNTED}",
            Query(_rate("service", "tokens_total"), "{{service}}"),
        ),
        timeseries(
            "Cost a day",
            f"At the present pace, by the configured prices. {_COUNTED}",
            Query(f"{_rate('service', 'cost_usd_total')} * {_A_DAY}", "{{service}}"),
            unit="currencyUSD",
        ),
    ]


def of_one() -> list[Panel]:
    """The service that is chosen."""
    return [
        timeseries(
            "Latency",
            "Time of an answer: median and 95%. Each dot is an exemplar: it leads to one trace.",
            *(
                Query(
                    f"histogram_quantile({q}, {_rate('le', 'latency_seconds_bucket', _ONE)})",
                    f"{q:.0%}",
                    exemplar=True,
                )
                for q in (0.5, 0.95)
            ),
            unit="s",
            width=6,
        ),
        timeseries(
            "Tokens",
            f"Tokens per second of the application's own model calls. {_COUNTED}",
            Query(_rate("direction", "tokens_total", _ONE), "{{direction}}"),
            width=6,
            stacked=True,
        ),
        timeseries(
            "Cost a day",
            f"At the present pace, by the configured prices. {_COUNTED}",
            Query(f"sum(rate(groundwatch_app_cost_usd_total{{{_ONE}}}[$__rate_interval])) * {_A_DAY}", "USD a day"),
            unit="currencyUSD",
            width=6,
        ),
        timeseries(
            "Cost not known",
            "Traces per second of which a call told no tokens, or whose model has no price: the real cost is higher.",
            Query(_rate("reason", "unpriced_traces_total", _ONE), "{{reason}}"),
            unit="reqps",
            width=6,
            stacked=True,
        ),
    ]


def _rate(by: str, name: str, of: str = "") -> str:
    selected = f"{{{of}}}" if of else ""
    return f"sum by ({by}) (rate(groundwatch_app_{name}{selected}[$__rate_interval]))"
