"""Series by slice: what is counted, under which values, and how many there may be."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from alerts.exposition import Metrics
from alerts.slice_series import MAX_VALUES, SliceSeries
from evaluators.evaluation import Outcome, Scored
from evaluators.metrics import ONLINE_METRICS
from evaluators.sample import RagSample, Readiness
from tests.alerts.engines import series
from tests.fakes import FakeClock
from tests.servers import promtool
from tests.verdicts import assessment, failed, skipped

MODEL, VERSION = "gen_ai.request.model", "gen_ai.prompt.version"


class Sliced:
    """A monitor's series, some of them by slice."""

    def __init__(self, *attributes: str, **settings: int) -> None:
        self.metrics = Metrics(FakeClock(), **settings)
        self.slices = SliceSeries(self.metrics.series, attributes or (MODEL,))

    def score(self, outcomes: dict[str, Outcome], value: str | None = "small", service: str = "shop") -> None:
        attributes = {MODEL: value} if value is not None else {}
        self.slices.assessment(assessment(1, service=service, outcomes=outcomes, attributes=attributes))

    def trace(self, value: str | None, service: str = "shop", **rest: object) -> None:
        attributes = {MODEL: value} if value is not None else {}
        given = {"readiness": Readiness.RAG} | rest
        self.slices.trace(RagSample("0" * 32, service, attributes=attributes, **given))  # type: ignore[arg-type]

    def value(self, name: str, value: str, metric: str = "faithfulness", service: str = "shop") -> float | None:
        labels = {"service": service, "attribute": MODEL, "value": value}
        if name != "traces":
            labels |= {"metric": metric, "judge": "lexical"}
        return series(self.metrics, f"groundwatch_slice_{name}_total", **labels)


def test_scores_are_counted_summed_and_judged_by_their_threshold_for_each_value() -> None:
    sliced = Sliced()
    for score in (1.0, 0.85, 0.5):
        sliced.score({"faithfulness": Scored(score), "hallucination": Scored(1.0 - score)})
    sliced.score({"faithfulness": Scored(0.9)}, "large")
    assert [sliced.value(name, "small") for name in ("scores", "scores_bad", "score_sum")] == [3, 2, 2.35]
    assert [sliced.value(name, "large") for name in ("scores", "scores_bad", "score_sum")] == [1, 0, 0.9]
    assert sliced.value("scores_bad", "small", "hallucination") == 2


@pytest.mark.parametrize("name", ONLINE_METRICS)
@pytest.mark.parametrize("step", [-0.01, 0.0, 0.01])
def test_a_score_is_bad_where_the_whole_services_share_counts_it(name: str, step: float) -> None:
    metric, sliced = ONLINE_METRICS[name], Sliced()
    value = max(0.0, metric.threshold + step)
    sliced.score({name: Scored(value)})
    expected = value <= metric.threshold if metric.higher_is_better else value > metric.threshold
    assert sliced.value("scores_bad", "small", name) == expected


def test_what_has_no_score_is_not_counted() -> None:
    sliced = Sliced()
    for verdict in (failed(1, attributes={MODEL: "small"}), skipped(2, attributes={MODEL: "small"})):
        sliced.slices.assessment(verdict)
    assert sliced.value("scores", "small") is None


def test_each_attribute_cuts_all_traffic_anew() -> None:
    sliced = Sliced(MODEL, VERSION)
    attributes = {MODEL: "small", VERSION: "7"}
    sliced.slices.assessment(
        assessment(1, outcomes={"faithfulness": Scored(1.0)}, attributes=attributes, service="shop")
    )
    labels = {"service": "shop", "metric": "faithfulness", "judge": "lexical"}
    for attribute, value in attributes.items():
        assert series(sliced.metrics, "groundwatch_slice_scores_total", attribute=attribute, value=value, **labels) == 1


def test_an_attribute_that_nobody_carries_makes_no_series_and_then_none_is_a_value() -> None:
    sliced = Sliced()
    sliced.trace(None)
    assert sliced.value("traces", "__none__") is None
    sliced.trace("small")
    sliced.trace(None)
    sliced.trace("")
    assert (sliced.value("traces", "small"), sliced.value("traces", "__none__")) == (1, 2)


def test_traffic_counts_each_trace_with_a_retrieval_once() -> None:
    sliced = Sliced()
    for rest in ({}, {"readiness": Readiness.NO_ANSWER}, {"readiness": Readiness.NO_DOCUMENTS}):
        sliced.trace("small", **rest)
    for rest in ({"revision": 1}, {"excluded": "a test run"}, {"readiness": Readiness.NO_RETRIEVAL}):
        sliced.trace("small", **rest)
    assert sliced.value("traces", "small") == 3


def test_values_beyond_the_limit_are_one_counted_and_each_service_has_its_own() -> None:
    sliced = Sliced()
    for number in range(MAX_VALUES + 5):
        sliced.trace(f"model-{number}")
    sliced.trace("another", service="desk")
    assert sliced.value("traces", f"model-{MAX_VALUES - 1}") == 1
    assert sliced.value("traces", f"model-{MAX_VALUES}") is None
    assert sliced.value("traces", "__other__") == 5
    assert sliced.value("traces", "another", service="desk") == 1
    assert series(sliced.metrics, "groundwatch_label_overflow_total", label="value") == 5


def test_slices_of_all_services_together_have_a_limit_and_none_is_lost() -> None:
    sliced = Sliced()
    for number in range(1500):
        sliced.trace(f"model-{number % 30}", service=f"service-{number % 75}")
    total = sum(
        sample.value
        for family in text_string_to_metric_families(sliced.metrics.render()[0].decode())
        for sample in family.samples
        if sample.name == "groundwatch_slice_traces_total"
    )
    assert total == 1500


def test_services_beyond_the_limit_share_their_slices() -> None:
    sliced = Sliced(max_services=2)
    for number in range(5):
        sliced.trace("small", service=f"service-{number}")
    assert sliced.value("traces", "small", service="__other__") == 3


@pytest.mark.parametrize("hostile", ['a"} 1\nfake_metric 1', "lone\ud800surrogate", "x" * 10_000, "\\", "\x00\x1b[31m"])
async def test_a_hostile_value_is_cleaned_cut_and_escaped(hostile: str) -> None:
    sliced = Sliced()
    sliced.trace(hostile)
    sliced.score({"faithfulness": Scored(1.0)}, hostile)
    body = sliced.metrics.render()[0]
    assert len(max(body.decode().splitlines(), key=len)) < 300
    assert b"\nfake_metric" not in body
    assert await promtool("check", "metrics", stdin=body) == (0, "")


def test_the_scrape_stays_bounded_whatever_is_sliced() -> None:
    sliced = Sliced(MODEL, VERSION)
    outcomes: dict[str, Outcome] = {name: Scored(0.5) for name in ONLINE_METRICS}
    before = len(sliced.metrics.render()[0])
    for number in range(2000):
        attributes = {MODEL: f"model-{number}-with-a-long-name", VERSION: f"version-{number}"}
        service = f"service-{number % 100}-with-a-long-name"
        sliced.slices.assessment(assessment(number, service=service, outcomes=outcomes, attributes=attributes))
    assert len(sliced.metrics.render()[0]) - before < 150_000
