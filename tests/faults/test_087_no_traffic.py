"""Row 87: without traffic the series exist at 0, and the absence of a known service is an alert of its own."""

from alerts.exposition import Metrics
from alerts.rules import NoDataRule
from tests.alerts.engines import bench, series
from tests.fakes import FakeClock
from tests.verdicts import good


def test_expected_series_exist_at_zero_before_the_first_event() -> None:
    metrics = Metrics(FakeClock())
    metrics.expect_receiver("grpc", ["decode_error"])
    metrics.expect_judge("lexical", ["claim_support"])
    for name, labels in (
        ("spans_received_total", {"receiver": "grpc"}),
        ("spans_rejected_total", {"receiver": "grpc", "reason": "decode_error"}),
        ("cache_requests_total", {"result": "miss"}),
        ("judge_calls_total", {"judge": "lexical", "facet": "claim_support", "outcome": "answered"}),
        ("queue_depth", {"judge": "lexical"}),
        ("judge_breaker_state", {"judge": "lexical", "state": "open"}),
    ):
        assert series(metrics, f"groundwatch_{name}", **labels) == 0.0


async def test_silence_resolves_no_quality_alert_and_raises_its_own() -> None:
    rule = NoDataRule(name="no_data", window=600.0, factor=0.0, min_history=0.0, min_n=1)
    b = bench(rule)
    b.observe(good(1))
    assert await b.tick(590.0, step=10.0) == []
    (signal,) = await b.tick(30.0, step=10.0)
    assert signal.summary.startswith("shop-assistant: no traces for 10m")
