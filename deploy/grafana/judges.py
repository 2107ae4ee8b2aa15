"""Judges: what they cost, and whether they answer."""

from typing import Any

from deploy.grafana.boards import choice, dashboard
from deploy.grafana.panels import GREEN, RED, YELLOW, Panel, Query, stat, steps, timeline, timeseries

_J = 'judge=~"$judge"'
_DOLLARS = f"rate(groundwatch_judge_cost_usd_total{{{_J}}}[$__rate_interval])"


def build() -> dict[str, Any]:
    """The dashboard."""
    return dashboard(
        "groundwatch-judges",
        "groundwatch / judges",
        "Cost and health of the judges.",
        [("Now", _now()), ("Health", _health()), ("Cost", _cost())],
        [choice("judge", "Judge", "label_values(groundwatch_judge_breaker_state, judge)", several=True)],
    )


def _now() -> list[Panel]:
    return [
        stat(
            "Judges away",
            "Judges whose breaker is not closed.",
            Query(f'sum(groundwatch_judge_breaker_state{{state=~"open|half_open",{_J}}})'),
            thresholds=steps((None, GREEN), (1, RED)),
        ),
        stat(
            "Calls",
            "Calls per second that went out.",
            Query(f"sum(rate(groundwatch_judge_calls_total{{{_J}}}[$__rate_interval]))"),
            "reqps",
        ),
        stat(
            "Failed calls",
            "Share of calls of the last 10 minutes without a usable answer.",
            Query(f"max(judge:groundwatch_judge_calls_failed:ratio_rate10m{{{_J}}})"),
            "percentunit",
            thresholds=steps((None, GREEN), (0.05, YELLOW), (0.2, RED)),
        ),
        stat("Waiting", "Samples that wait for a judge.", Query(f"sum(groundwatch_queue_depth{{{_J}}})"), "none"),
        stat(
            "Verdict age",
            "95% of verdicts came within this time of their trace's closing.",
            Query(f"max(judge:groundwatch_verdict_age_seconds:p95_10m{{{_J}}})"),
            "s",
            thresholds=steps((None, GREEN), (30, YELLOW), (60, RED)),
        ),
        stat(
            "Cost a day",
            "At the present pace, by the configured prices.",
            Query(f"sum({_DOLLARS}) * 86400"),
            "currencyUSD",
        ),
    ]


def _health() -> list[Panel]:
    return [
        timeseries(
            "Calls by outcome",
            "Answered calls, and failed ones by their reason.",
            Query(
                f"sum by (judge, outcome) (rate(groundwatch_judge_calls_total{{{_J}}}[$__rate_interval]))",
                "{{judge}} {{outcome}}",
            ),
            unit="reqps",
            stacked=True,
        ),
        timeseries(
            "Latency",
            "Time of a call: median, 95% and 99%.",
            *(
                Query(
                    f"histogram_quantile({q}, sum by (judge, le) (rate(groundwatch_judge_latency_seconds_bucket"
                    f"{{{_J}}}[$__rate_interval])))",
                    f"{{{{judge}}}} {q:.0%}",
                )
                for q in (0.5, 0.95, 0.99)
            ),
            unit="s",
        ),
        timeseries(
            "Verdict age",
            "From a trace's closing to its verdict: median and 95%. The line is the alert's.",
            *(
                Query(
                    f"histogram_quantile({q}, sum by (judge, le) (rate(groundwatch_verdict_age_seconds_bucket"
                    f"{{{_J}}}[$__rate_interval])))",
                    f"{{{{judge}}}} {q:.0%}",
                )
                for q in (0.5, 0.95)
            ),
            unit="s",
            thresholds=steps((None, GREEN), (60, RED)),
        ),
        timeline(
            "Breakers",
            "Not closed: the judge is left alone and tried again after a pause.",
            Query(f'max by (judge) (groundwatch_judge_breaker_state{{state=~"open|half_open",{_J}}})', "{{judge}}"),
            names={0: ("closed", GREEN), 1: ("open", RED)},
            width=8,
        ),
        timeseries(
            "Waiting samples",
            "Samples in the queue of a judge. A full queue sheds, and coverage falls.",
            Query(f"sum by (judge) (groundwatch_queue_depth{{{_J}}})", "{{judge}}"),
        ),
        timeseries(
            "Without a score",
            "Evaluations per second that failed or were skipped, by reason.",
            Query(
                'sum by (outcome, reason) (rate(groundwatch_evaluations_total{outcome!="scored"}[$__rate_interval]))',
                "{{outcome}} {{reason}}",
            ),
            unit="reqps",
            stacked=True,
        ),
    ]


def _cost() -> list[Panel]:
    return [
        timeseries(
            "Tokens",
            "Tokens per second that providers reported; the embedded judge needs none.",
            Query(
                f"sum by (judge, direction) (rate(groundwatch_judge_tokens_total{{{_J}}}[$__rate_interval]))",
                "{{judge}} {{direction}}",
            ),
            width=6,
            stacked=True,
        ),
        timeseries(
            "Cost",
            "Per hour, by the configured prices: also of replies that could not be used.",
            Query(f"sum by (judge) ({_DOLLARS}) * 3600", "{{judge}}"),
            unit="currencyUSD",
            width=6,
        ),
        timeseries(
            "Calls of unknown cost",
            "Calls per second that timed out or told no tokens, or whose model has no price: the real cost is higher.",
            Query(
                f"sum by (judge, reason) (rate(groundwatch_judge_calls_unpriced_total{{{_J}}}[$__rate_interval]))",
                "{{judge}} {{reason}}",
            ),
            unit="reqps",
            width=6,
            stacked=True,
        ),
        timeseries(
            "Cache",
            "Look-ups by result. Hits and joined ones cost nothing.",
            Query("sum by (result) (rate(groundwatch_cache_requests_total[$__rate_interval]))", "{{result}}"),
            unit="reqps",
            width=6,
            stacked=True,
        ),
    ]
