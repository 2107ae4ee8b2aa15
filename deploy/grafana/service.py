"""One service: how good its answers are, where they go wrong, and which traces show it."""

from typing import Any

from deploy.grafana import applications, slices
from deploy.grafana.boards import choice, dashboard, link, textbox
from deploy.grafana.panels import GREEN, RED, YELLOW, Panel, Query, bars, heatmap, stat, steps, timeseries

_ONE = 'service="$service",judge="$judge"'
_SHARE = "service_metric_judge:groundwatch_bad_share"
_OBJECTIVE = 0.05
"""The share of contradicted answers that the error budget allows; as in the recording rules."""


def build() -> dict[str, Any]:
    """The dashboard."""
    return dashboard(
        "groundwatch-service",
        "groundwatch / service",
        "Scores of one service as one judge sees them, with intervals, diagnosis, slices and the worst traces.",
        [
            ("Now", _now()),
            ("Scores", _scores()),
            ("Where it goes wrong", _diagnosis()),
            ("Slices", slices.row()),
            ("Judged, and not", _judged()),
            ("Worst traces", _worst()),
            ("Application", applications.of_one()),
        ],
        [
            choice("service", "Service", "label_values(groundwatch_score_count, service)"),
            choice("judge", "Judge", 'label_values(groundwatch_score_count{service="$service"}, judge)'),
            choice("slice", "Slice by", 'label_values(groundwatch_slice_traces_total{service="$service"}, attribute)'),
            textbox("monitor_url", "Monitor", "http://localhost:9464"),
        ],
        [link("Recent traces and their evidence", "${monitor_url}/traces?service=${service}")],
    )


def _now() -> list[Panel]:
    return [
        stat(
            "Answers",
            "Answers with a faithfulness score in the last 30 minutes: n of the figures beside it.",
            Query(f'service_metric_judge:groundwatch_scores:increase30m{{metric="faithfulness",{_ONE}}}'),
            "none",
        ),
        stat(
            "Mean faithfulness",
            "Supported claims / claims, averaged over the answers of 30 minutes.",
            Query(f'service_metric_judge:groundwatch_score:mean30m{{metric="faithfulness",{_ONE}}}'),
            "percentunit",
            thresholds=steps((None, RED), (0.7, YELLOW), (0.85, GREEN)),
        ),
        stat(
            "Unsupported answers",
            "Share of answers that scored 0.85 or less for faithfulness in 30 minutes.",
            Query(f'{_SHARE}:ratio30m{{metric="faithfulness",{_ONE}}}'),
            "percentunit",
            thresholds=steps((None, GREEN), (0.2, YELLOW), (0.4, RED)),
        ),
        stat(
            "Contradicted answers",
            "Share of answers with a claim that a chunk contradicts, in 30 minutes.",
            Query(f'{_SHARE}:ratio30m{{metric="hallucination",{_ONE}}}'),
            "percentunit",
            thresholds=steps((None, GREEN), (0.05, YELLOW), (0.1, RED)),
        ),
        stat(
            "Coverage",
            "Scored / eligible answers of the last hour, all judges together.",
            Query('service_metric:groundwatch_coverage:ratio1h{metric="faithfulness",service="$service"}'),
            "percentunit",
            thresholds=steps((None, RED), (0.5, YELLOW), (0.8, GREEN)),
        ),
        stat(
            "Rules firing",
            "The monitor's own rules that fire for this service.",
            Query('sum(groundwatch_rule_firing{service="$service"})'),
            thresholds=steps((None, GREEN), (1, RED)),
        ),
    ]


def _scores() -> list[Panel]:
    return [
        _with_interval(
            "Unsupported answers, 95% interval",
            "faithfulness",
            0.4,
            "Share of answers that scored 0.85 or less for faithfulness in 30 minutes, and Wilson's interval "
            "of it. Few answers make it wide; the alert waits until all of it is above the line.",
        ),
        _with_interval(
            "Contradicted answers, 95% interval",
            "hallucination",
            0.1,
            "Share of answers with a claim that a chunk contradicts in 30 minutes, and Wilson's interval of "
            "it. The alert waits until all of it is above the line.",
        ),
        timeseries(
            "Mean scores",
            "Means over 30 minutes. All are better when high, except hallucination.",
            Query(f"service_metric_judge:groundwatch_score:mean30m{{{_ONE}}}", "{{metric}}"),
            unit="percentunit",
            top=1,
        ),
        heatmap(
            "Faithfulness",
            "How the scores are spread: two camps and one mean are different troubles.",
            Query(
                f'sum by (le) (increase(groundwatch_score_bucket{{metric="faithfulness",{_ONE}}}[$__rate_interval]))',
                "{{le}}",
                format="heatmap",
            ),
            width=12,
        ),
        timeseries(
            "Error budget",
            "Burn rates of the budget of contradicted answers (5% in 30 days): 1 spends it in "
            "just that time. Pages at 14.4 for an hour or 6 for six hours.",
            Query(f"service_judge:groundwatch_contradicted:ratio_rate5m{{{_ONE}}} / {_OBJECTIVE}", "5m"),
            Query(f"service_judge:groundwatch_contradicted:ratio_rate1h{{{_ONE}}} / {_OBJECTIVE}", "1h"),
            Query(f"service_judge:groundwatch_contradicted:ratio_rate6h{{{_ONE}}} / {_OBJECTIVE}", "6h"),
            Query(f"service_judge:groundwatch_contradicted:ratio_rate3d{{{_ONE}}} / {_OBJECTIVE}", "3d"),
            width=12,
            thresholds=steps((None, GREEN), (6, YELLOW), (14.4, RED)),
        ),
    ]


def _with_interval(title: str, metric: str, limit: float, description: str) -> Panel:
    of = f'{{metric="{metric}",{_ONE}}}'
    return timeseries(
        title,
        description,
        Query(f"{_SHARE}:ratio30m{of}", "share"),
        Query(f"{_SHARE}:high30m{of}", "high"),
        Query(f"{_SHARE}:low30m{of}", "low"),
        unit="percentunit",
        top=1,
        thresholds=steps((None, GREEN), (limit, RED)),
        band=("high", "low"),
    )


def _diagnosis() -> list[Panel]:
    return [
        timeseries(
            "Diagnosis",
            "Where to look first: at retrieval, ranking, generation, or at a refusal without need.",
            Query(
                f"sum by (diagnosis) (rate(groundwatch_diagnoses_total{{{_ONE}}}[$__rate_interval]))", "{{diagnosis}}"
            ),
            unit="reqps",
            width=12,
            stacked=True,
        ),
        bars(
            "Diagnosis in this time range",
            "How many answers got each diagnosis; none means nothing to fix.",
            Query(
                f"sum by (diagnosis) (increase(groundwatch_diagnoses_total{{{_ONE}}}[$__range]))",
                "{{diagnosis}}",
                instant=True,
            ),
            unit="none",
            width=6,
        ),
        bars(
            "Bad answers by metric",
            "Share at or past the metric's threshold in 30 minutes: bad context metrics point "
            "at retrieval and ranking, bad answer metrics at generation.",
            Query(f"{_SHARE}:ratio30m{{{_ONE}}}", "{{metric}}", instant=True),
            unit="percentunit",
            width=6,
            thresholds=steps((None, GREEN), (0.2, YELLOW), (0.4, RED)),
        ),
    ]


def _judged() -> list[Panel]:
    return [
        timeseries(
            "Unsupported answers by judge",
            "Judges are not comparable, but they should move together.",
            Query(f'{_SHARE}:ratio30m{{metric="faithfulness",service="$service"}}', "{{judge}}"),
            unit="percentunit",
            top=1,
            width=6,
        ),
        timeseries(
            "Traces by outcome",
            "What became of the service's traces.",
            Query(
                'sum by (outcome) (rate(groundwatch_traces_total{service="$service"}[$__rate_interval]))', "{{outcome}}"
            ),
            unit="reqps",
            stacked=True,
            width=6,
        ),
        timeseries(
            "Not scored, by reason",
            "Why faithfulness was not scored: skipped and failed evaluations.",
            Query(
                'sum by (outcome, reason) (rate(groundwatch_evaluations_total{service="$service",'
                'metric="faithfulness",outcome!="scored"}[$__rate_interval]))',
                "{{outcome}} {{reason}}",
            ),
            unit="reqps",
            stacked=True,
            width=6,
        ),
        timeseries(
            "Suspected injections",
            "Traces per hour that hold text which gives orders to a model, by where the gravest of it stands.",
            Query(
                'sum by (place) (rate(groundwatch_injections_suspected_total{service="$service"}[$__rate_interval]))'
                " * 3600",
                "{{place}}",
            ),
            width=6,
        ),
    ]


def _worst() -> list[Panel]:
    return [
        timeseries(
            "Lowest faithfulness",
            "The score that 5% of answers do not reach. Each dot is an exemplar: it leads "
            "to the evidence of one trace.",
            Query(
                'histogram_quantile(0.05, sum by (le) (rate(groundwatch_score_bucket{metric="faithfulness",'
                f"{_ONE}}}[$__rate_interval])))",
                "5% quantile",
                exemplar=True,
            ),
            unit="percentunit",
            top=1,
            width=12,
        ),
        timeseries(
            "Highest hallucination",
            "The share of contradicted claims that 5% of answers exceed. Each dot is an "
            "exemplar: it leads to the evidence of one trace.",
            Query(
                'histogram_quantile(0.95, sum by (le) (rate(groundwatch_score_bucket{metric="hallucination",'
                f"{_ONE}}}[$__rate_interval])))",
                "95% quantile",
                exemplar=True,
            ),
            unit="percentunit",
            top=1,
            width=12,
        ),
    ]
