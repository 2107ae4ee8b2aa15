import math

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from alerts.exposition import Metrics
from evaluators.evaluation import FailReason, SkipReason
from tests.alerts.engines import series
from tests.fakes import FakeClock
from tests.servers import promtool
from tests.verdicts import contradicted, failed, good, skipped, trace_id

OPENMETRICS = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"


def used() -> Metrics:
    """Metrics on which every method was called once."""
    metrics = Metrics(FakeClock())
    metrics.expect_receiver("grpc", ["decode_error", "trace_id"])
    metrics.expect_judge("lexical", ["claim_support"])
    metrics.expect_rule("no_data", "shop-assistant", "info")
    metrics.expect_notifier("webhook", ["delivered", "retried"])
    metrics.spans_received("grpc", 3)
    metrics.spans_ordinary("grpc", 2)
    metrics.spans_rejected("grpc", "trace_id", 1)
    metrics.spans_dropped("late", 1)
    metrics.trace("shop-assistant", "rag")
    metrics.assessment(contradicted(1))
    metrics.assessment(failed(2, FailReason.TIMEOUT))
    metrics.assessment(skipped(3, SkipReason.NO_CLAIMS))
    metrics.judge_call("lexical", "claim_support", "answered", 0.002)
    metrics.judge_tokens("lexical", "input", 900)
    metrics.cache_request("hit")
    metrics.queue_depth("lexical", 7)
    metrics.breaker_state("lexical", "open")
    metrics.signal("contradicted_claim", "shop-assistant", "ticket")
    metrics.rule_firing("contradicted_claim", "shop-assistant", True)
    metrics.notification("webhook", "delivered", 2)
    metrics.notifications_pending("webhook", 1)
    metrics.watch_open_traces(lambda: 4, lambda: 1024)
    metrics.loop_lag(0.002)
    metrics.refresh()
    return metrics


@pytest.mark.parametrize(
    ("name", "labels", "value"),
    [
        ("spans_received_total", {"receiver": "grpc"}, 3),
        ("spans_ordinary_total", {"receiver": "grpc"}, 2),
        ("spans_rejected_total", {"receiver": "grpc", "reason": "trace_id"}, 1),
        ("spans_rejected_total", {"receiver": "grpc", "reason": "decode_error"}, 0),
        ("spans_dropped_total", {"reason": "late"}, 1),
        ("spans_dropped_total", {"reason": "duplicate"}, 0),
        ("traces_total", {"service": "shop-assistant", "outcome": "rag"}, 1),
        (
            "evaluations_total",
            {"service": "shop-assistant", "metric": "faithfulness", "outcome": "scored", "reason": ""},
            1,
        ),
        (
            "evaluations_total",
            {"service": "shop-assistant", "metric": "faithfulness", "outcome": "failed", "reason": "timeout"},
            1,
        ),
        ("score_count", {"service": "shop-assistant", "metric": "hallucination", "judge": "lexical"}, 1),
        ("coverage_ratio", {"service": "shop-assistant", "metric": "faithfulness"}, 0.5),
        ("verdict_age_seconds_count", {"judge": "lexical"}, 3),
        ("judge_calls_total", {"judge": "lexical", "facet": "claim_support", "outcome": "answered"}, 1),
        ("judge_latency_seconds_count", {"judge": "lexical", "facet": "claim_support"}, 1),
        ("judge_tokens_total", {"judge": "lexical", "direction": "input"}, 900),
        ("judge_tokens_total", {"judge": "lexical", "direction": "output"}, 0),
        ("cache_requests_total", {"result": "hit"}, 1),
        ("cache_requests_total", {"result": "miss"}, 0),
        ("queue_depth", {"judge": "lexical"}, 7),
        ("judge_breaker_state", {"judge": "lexical", "state": "open"}, 1),
        ("judge_breaker_state", {"judge": "lexical", "state": "closed"}, 0),
        ("signals_total", {"rule": "contradicted_claim", "service": "shop-assistant", "severity": "ticket"}, 1),
        ("rule_firing", {"rule": "contradicted_claim", "service": "shop-assistant"}, 1),
        ("rule_firing", {"rule": "no_data", "service": "shop-assistant"}, 0),
        ("notifications_total", {"notifier": "webhook", "outcome": "delivered"}, 2),
        ("notifications_total", {"notifier": "webhook", "outcome": "retried"}, 0),
        ("notifications_pending", {"notifier": "webhook"}, 1),
        ("open_traces", {}, 4),
        ("open_trace_bytes", {}, 1024),
        ("event_loop_lag_seconds_count", {}, 1),
    ],
)
def test_each_series_has_its_documented_name_labels_and_value(name: str, labels: dict[str, str], value: float) -> None:
    assert series(used(), f"groundwatch_{name}", **labels) == value


async def test_promtool_finds_nothing_to_complain_about() -> None:
    status, output = await promtool("check", "metrics", stdin=used().render()[0])
    assert (status, output) == (0, "")


def test_openmetrics_carries_the_trace_id_as_exemplar_and_nowhere_else() -> None:
    body, content_type = used().render(OPENMETRICS)
    assert content_type.startswith("application/openmetrics-text; version=1.0.0")
    text = body.decode()
    exemplars = [s.exemplar for family in parse_openmetrics(text) for s in family.samples if s.exemplar]
    assert {exemplar.labels["trace_id"] for exemplar in exemplars} == {trace_id(1)}
    without = "\n".join(line.split(" # ")[0] for line in text.splitlines())
    assert trace_id(1) not in without


@pytest.mark.parametrize(
    "accept", ["", "*/*", "text/plain", "text/html", "application/openmetrics-text;version=x.y", "\xff" * 50]
)
def test_whatever_a_scraper_accepts_it_gets_an_exposition(accept: str) -> None:
    body, content_type = used().render(accept)
    assert b"groundwatch_spans_received_total" in body
    assert content_type.startswith(("text/plain; version=0.0.4", "application/openmetrics-text; version=1.0.0"))


def test_help_says_from_when_the_age_counts_and_that_judges_count_together() -> None:
    told = used().render()[0].decode()
    assert "closing (assembly.grace_s after its root ended) to its verdict." in told
    assert "judges count together, groundwatch_judge_calls_total tells which." in told


def test_scores_and_coverage_come_before_everything_that_starts_at_zero() -> None:
    names = [line.split()[2] for line in used().render()[0].decode().splitlines() if line.startswith("# TYPE")]
    own = [name for name in names if name.startswith("groundwatch_") and "label_overflow" not in name]
    assert own[:2] == ["groundwatch_score", "groundwatch_coverage_ratio"]


def test_no_created_series_double_the_exposition() -> None:
    assert b"_created" not in used().render()[0]
    assert b"_created" not in used().render(OPENMETRICS)[0]


def test_coverage_forgets_after_an_hour_and_is_absent_without_eligible_traces() -> None:
    clock = FakeClock()
    metrics = Metrics(clock)
    labels = {"service": "shop-assistant", "metric": "faithfulness"}
    metrics.assessment(skipped(1, SkipReason.SAMPLED_OUT))
    assert series(metrics, "groundwatch_coverage_ratio", **labels) is None
    metrics.assessment(failed(1))
    metrics.assessment(good(2))
    assert series(metrics, "groundwatch_coverage_ratio", **labels) == 0.5
    clock.advance(3700.0)
    assert series(metrics, "groundwatch_coverage_ratio", **labels) is None


def test_times_that_are_no_numbers_poison_no_histogram() -> None:
    metrics = Metrics(FakeClock())
    metrics.judge_call("lexical", "claim_support", "answered", math.nan)
    metrics.judge_call("lexical", "claim_support", "answered", -1.0)
    assert series(metrics, "groundwatch_judge_latency_seconds_sum", judge="lexical", facet="claim_support") == 0.0


def test_the_registry_is_its_own() -> None:
    one, other = Metrics(FakeClock()), Metrics(FakeClock())
    one.spans_received("grpc", 1)
    assert series(other, "groundwatch_spans_received_total", receiver="grpc") is None


def test_the_process_is_exposed_too() -> None:
    families = {family.name for family in parse_text(used().render()[0].decode())}
    assert {"process_resident_memory_bytes", "groundwatch_build_info"} <= families
