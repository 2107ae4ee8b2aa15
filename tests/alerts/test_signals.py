from dataclasses import replace

import orjson
import pytest

from alerts.explain import Links
from alerts.findings import Finding
from alerts.rules import Severity, TraceRule
from alerts.signals import Signal, iso
from evaluators.evaluation import Scored
from evaluators.statistics import wilson
from tests.alerts.engines import bench
from tests.verdicts import CONTRADICTED, SUPPORTED, assessment, contradicted

LINKS = Links("http://127.0.0.1:9464")
SIGNAL = Signal(
    rule="low_faithfulness",
    severity=Severity.PAGE,
    service="shop",
    judge="lexical",
    metric="faithfulness",
    starts_at=1_800_000_000.0,
    summary="s",
    estimate=wilson(55, 100),
    limit=0.4,
    count=55,
    diagnosis="generation",
    traces=(LINKS.cite(Finding.of(contradicted(1), 0.0), "full"),),
    url="http://127.0.0.1:9464/traces/1",
)


def test_labels_are_few_and_hold_no_trace_id_and_no_text() -> None:
    assert set(SIGNAL.labels) == {"alertname", "service", "metric", "judge", "severity"}
    assert "judge" not in replace(SIGNAL, judge="").labels


def test_a_fingerprint_depends_on_what_the_alert_is_and_not_on_how_it_stands() -> None:
    later = replace(SIGNAL, starts_at=1.0, summary="other", count=99, estimate=None, traces=())
    assert later.fingerprint == SIGNAL.fingerprint
    assert replace(SIGNAL, service="other").fingerprint != SIGNAL.fingerprint


def test_annotations_carry_value_interval_n_claim_chunk_quote_and_worst_traces() -> None:
    told = SIGNAL.annotations
    assert (told["value"], told["interval"], told["n"], told["limit"]) == ("0.550", "0.452 to 0.644", "100", "0.4")
    assert told["claim"] == "You can get a full refund within 90 days of purchase."
    assert told["chunk"] == "refund-policy#1"
    assert told["worst_traces"] == f"{1:032x}"
    assert "" not in told.values()


def test_the_json_is_complete() -> None:
    told = orjson.loads(orjson.dumps(SIGNAL.to_json()))
    assert told["schema"] == "groundwatch.signal/1"
    assert told["value"]["n"] == 100
    assert told["worse_when"] == "higher"
    assert told["traces"][0]["claimed"] == "90 days"
    assert told["starts_at"] == "2027-01-15T08:00:00.000Z"


async def test_what_does_not_apply_to_a_contradiction_is_null_and_the_value_is_the_metric_s() -> None:
    b = bench(TraceRule(name="r", contradicted=True))
    b.observe(assessment(1, SUPPORTED, CONTRADICTED))
    (signal,) = await b.tick()
    told = orjson.loads(orjson.dumps(signal.to_json()))
    assert (told["metric"], told["value"], told["limit"], told["worse_when"]) == ("faithfulness", None, None, None)
    assert told["traces"][0]["value"] == 0.5


async def test_a_trace_rule_about_a_metric_tells_its_limit_and_direction() -> None:
    b = bench(TraceRule(name="r", metric="faithfulness", threshold=0.6))
    b.observe(assessment(1, SUPPORTED, CONTRADICTED))
    (signal,) = await b.tick()
    told = signal.to_json()
    assert (told["limit"], told["worse_when"]) == (0.6, "lower")


async def test_a_trace_without_a_score_of_the_metric_has_no_value() -> None:
    b = bench(TraceRule(name="r", contradicted=True))
    b.observe(assessment(1, CONTRADICTED, outcomes={"hallucination": Scored(1.0)}))
    (signal,) = await b.tick()
    assert signal.traces[0].finding.value is None


@pytest.mark.parametrize(("epoch", "text"), [(0.0, "1970-01-01T00:00:00.000Z"), (1.5, "1970-01-01T00:00:01.500Z")])
def test_times_are_rfc_3339_in_utc(epoch: float, text: str) -> None:
    assert iso(epoch) == text
