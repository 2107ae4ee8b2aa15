"""All services at a glance."""

from typing import Any

from deploy.grafana import applications
from deploy.grafana.boards import choice, dashboard
from deploy.grafana.panels import GREEN, RED, YELLOW, Query, stat, steps, table, timeline, timeseries

_OF_JUDGE = 'judge=~"$judge"'
_FAITHFULNESS = f'metric="faithfulness",{_OF_JUDGE}'
_HALLUCINATION = f'metric="hallucination",{_OF_JUDGE}'
_SHARE = "service_metric_judge:groundwatch_bad_share"
_COVERAGE = 'service_metric:groundwatch_coverage:ratio1h{metric="faithfulness"}'
_ELIGIBLE = 'service_metric:groundwatch_eligible:increase1h{metric="faithfulness"}'


def build() -> dict[str, Any]:
    """The dashboard."""
    return dashboard(
        "groundwatch-fleet",
        "groundwatch / fleet",
        "Which services answer from their sources, and which do not.",
        [
            ("Now", _now()),
            ("Quality", _quality()),
            ("Alerts", _alerts()),
            ("Traffic", _traffic()),
            ("Applications", applications.of_all()),
        ],
        [choice("judge", "Judge", "label_values(groundwatch_score_count, judge)", several=True)],
    )


def _now() -> list[dict[str, Any]]:
    return [
        stat(
            "Services",
            "Services whose traces were judged.",
            Query("count(count by (service) (groundwatch_score_count))"),
        ),
        stat(
            "Traces",
            "Closed traces per second, of every outcome.",
            Query("sum(rate(groundwatch_traces_total[$__rate_interval]))"),
            "reqps",
        ),
        stat(
            "Coverage",
            "Scored / eligible answers of the last hour, over all services.",
            Query(f"sum({_COVERAGE} * {_ELIGIBLE}) / sum({_ELIGIBLE})"),
            "percentunit",
            thresholds=steps((None, RED), (0.5, YELLOW), (0.8, GREEN)),
        ),
        stat(
            "Rules firing",
            "The monitor's own rules that fire now, over all services.",
            Query("sum(groundwatch_rule_firing)"),
            thresholds=steps((None, GREEN), (1, RED)),
        ),
        stat(
            "Prometheus alerts",
            "Alerts of the Prometheus rules that fire now.",
            Query('count(ALERTS{alertname=~"Groundwatch.*",alertstate="firing"}) or vector(0)'),
            thresholds=steps((None, GREEN), (1, RED)),
        ),
        stat(
            "Verdict age",
            "95% of verdicts came within this time of their trace's closing.",
            Query("max(judge:groundwatch_verdict_age_seconds:p95_10m)"),
            "s",
            thresholds=steps((None, GREEN), (30, YELLOW), (60, RED)),
        ),
    ]


def _quality() -> list[dict[str, Any]]:
    return [
        table(
            "Services",
            "Shares of bad answers of the last 30 minutes; low and high are the ends of the 95% interval.",
            {
                "Unsupported": (f"{_SHARE}:ratio30m{{{_FAITHFULNESS}}}", "percentunit"),
                "low": (f"{_SHARE}:low30m{{{_FAITHFULNESS}}}", "percentunit"),
                "high": (f"{_SHARE}:high30m{{{_FAITHFULNESS}}}", "percentunit"),
                "Contradicted": (f"{_SHARE}:ratio30m{{{_HALLUCINATION}}}", "percentunit"),
                "Answers": (f"service_metric_judge:groundwatch_scores:increase30m{{{_FAITHFULNESS}}} > 0", "none"),
            },
            by=("service", "judge"),
        ),
        timeseries(
            "Unsupported answers",
            "Share of answers that scored 0.85 or less for faithfulness in 30 minutes. The alert fires when the whole "
            "95% interval is above the line.",
            Query(f"{_SHARE}:ratio30m{{{_FAITHFULNESS}}}", "{{service}} ({{judge}})"),
            unit="percentunit",
            top=1,
            thresholds=steps((None, GREEN), (0.4, RED)),
        ),
        timeseries(
            "Contradicted answers",
            "Share of answers with a claim that a chunk contradicts, in 30 minutes. The alert fires when the whole 95% "
            "interval is above the line.",
            Query(f"{_SHARE}:ratio30m{{{_HALLUCINATION}}}", "{{service}} ({{judge}})"),
            unit="percentunit",
            top=1,
            thresholds=steps((None, GREEN), (0.1, RED)),
        ),
        timeseries(
            "Coverage",
            "Scored / eligible answers of the last hour. Below the line the figures of a service say little.",
            Query(_COVERAGE, "{{service}}"),
            unit="percentunit",
            top=1,
            thresholds=steps((None, RED), (0.5, GREEN)),
        ),
    ]


def _alerts() -> list[dict[str, Any]]:
    return [
        timeline(
            "Rules of the monitor",
            "When each rule fired for a service; with none there is nothing to draw. The alert names claim and chunk.",
            Query("max by (rule, service) (groundwatch_rule_firing) == 1", "{{rule}} {{service}}"),
            names={1: ("firing", RED)},
        ),
        timeline(
            "Alerts of Prometheus",
            "When each alert fired; with none there is nothing to draw.",
            Query(
                'max by (alertname, service) (ALERTS{alertname=~"Groundwatch.*",alertstate="firing"})',
                "{{alertname}} {{service}}",
            ),
            names={1: ("firing", RED)},
        ),
    ]


def _traffic() -> list[dict[str, Any]]:
    return [
        timeseries(
            "Traces by outcome",
            "What became of closed traces: rag ones can be judged, the others say why not.",
            Query("sum by (outcome) (rate(groundwatch_traces_total[$__rate_interval]))", "{{outcome}}"),
            unit="reqps",
            stacked=True,
        ),
        timeseries(
            "Traces by service",
            "Closed traces of every outcome.",
            Query("sum by (service) (rate(groundwatch_traces_total[$__rate_interval]))", "{{service}}"),
            unit="reqps",
        ),
        timeseries(
            "Suspected injections",
            "Traces per hour that hold text which gives orders to a model; the dashboard of a service says where.",
            Query(
                "sum by (service) (rate(groundwatch_injections_suspected_total[$__rate_interval])) * 3600",
                "{{service}}",
            ),
        ),
    ]
