"""Row 84: a million service names cost a bounded scrape, bounded memory, and are counted."""

import pytest

from alerts.application import ApplicationSeries
from alerts.exposition import MAX_SERVICES, Metrics
from alerts.rules.defaults import DEFAULT_RULES
from alerts.slice_series import SliceSeries
from alerts.slices import DEFAULT
from evaluators.evaluation import FailReason, Outcome, Scored
from evaluators.metrics import METRICS, ONLINE_METRICS
from evaluators.prices import PriceTable
from evaluators.sample import ModelTokens
from tests.alerts.engines import bench, series
from tests.fakes import FakeClock
from tests.samples import sample
from tests.verdicts import assessment, contradicted, failed

EVERY_METRIC: dict[str, Outcome] = {name: Scored(0.5) for name in METRICS}
NAMES = 1_000_000


@pytest.mark.parametrize(
    ("judges", "metric_names", "most"),
    [(("lexical",), ONLINE_METRICS, 1_000_000), (("lexical", "gpt"), tuple(METRICS), 1_150_000)],
    ids=["as it comes", "two judges with every metric"],
)
def test_the_scrape_stays_at_about_a_megabyte(
    judges: tuple[str, ...], metric_names: tuple[str, ...], most: int
) -> None:
    outcomes: dict[str, Outcome] = {name: Scored(0.5) for name in metric_names}
    metrics = Metrics(FakeClock())
    slices = SliceSeries(metrics.series, DEFAULT)
    application = ApplicationSeries(metrics.series, PriceTable())
    for number in range(500):
        service = f"service-{number}-with-a-long-name"
        application.count(sample(service=service, duration_s=1.25, tokens=(ModelTokens("m", 1234, 123),)))
        sliced = dict.fromkeys(DEFAULT, f"value-{number}-with-a-long-name")
        for judge in judges:
            metrics.expect_judge(judge, ["claim_support", "chunk_relevance", "answer_fit"])
            metrics.assessment(assessment(number, service=service, judge=judge, outcomes=outcomes))
            slices.assessment(assessment(number, service=service, judge=judge, outcomes=outcomes, attributes=sliced))
            metrics.assessment(failed(number, list(FailReason)[number % 10], service=service, judge=judge))
        for rule in DEFAULT_RULES:
            metrics.expect_rule(rule.name, service, rule.severity)
    for number in range(NAMES):
        metrics.trace(f"service-{number}-with-a-long-name", "rag")
    metrics.refresh()
    for accept in ("text/plain", "application/openmetrics-text; version=1.0.0"):
        assert len(metrics.render(accept)[0]) < most
    assert series(metrics, "groundwatch_traces_total", service="__other__", outcome="rag") == NAMES - MAX_SERVICES
    overflow = series(metrics, "groundwatch_label_overflow_total", label="service")
    assert overflow is not None
    assert overflow >= NAMES - MAX_SERVICES


@pytest.mark.parametrize("filler", ["a", "\N{PILE OF POO}", '"', "\\"])
def test_nor_do_the_longest_names_swell_it(filler: str) -> None:
    metrics = Metrics(FakeClock())
    for number in range(110):
        service = f"{number}{filler * 10_000}"
        for judge in ("lexical", "gpt"):
            metrics.assessment(assessment(number, service=service, judge=judge, outcomes=EVERY_METRIC))
        for rule in DEFAULT_RULES:
            metrics.expect_rule(rule.name, service, rule.severity)
        metrics.trace(service, "rag")
    metrics.refresh()
    for accept in ("text/plain", "application/openmetrics-text; version=1.0.0"):
        assert len(metrics.render(accept)[0]) < 1_000_000


def test_the_first_hundred_services_have_all_default_scores_of_one_judge() -> None:
    metrics = Metrics(FakeClock())
    default: dict[str, Outcome] = {name: Scored(0.5) for name in ONLINE_METRICS}
    for number in range(200):
        metrics.assessment(assessment(number, service=f"service-{number}", outcomes=default))
    for name in ONLINE_METRICS:
        labels = {"metric": name, "judge": "lexical"}
        assert series(metrics, "groundwatch_score_count", service="service-99", **labels) == 1.0
        assert series(metrics, "groundwatch_score_count", service="__other__", **labels) == 100.0


async def test_rules_watch_so_many_services_apart_and_the_rest_as_one() -> None:
    b = bench(max_services=50)
    b.observe(*(contradicted(number, service=f"service-{number}") for number in range(5000)))
    await b.tick()
    services = {service for _, service, _ in b.engine.firing}
    assert len(services) == 51
    assert "__other__" in services
