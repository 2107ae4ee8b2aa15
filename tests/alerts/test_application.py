"""Latency, tokens and cost of the application, by service."""

import pytest

from alerts.application import ApplicationSeries
from alerts.exposition import Metrics
from evaluators.prices import Price, PriceTable
from evaluators.sample import ModelTokens, RagSample, Readiness
from tests.alerts.engines import series
from tests.fakes import FakeClock
from tests.samples import sample

PRICES = PriceTable({"m-*": Price(input_usd=1.0, output_usd=4.0)})
TOKENS = ModelTokens("m-1", 1_000, 250)


def counted(*samples: RagSample) -> Metrics:
    metrics = Metrics(FakeClock())
    application = ApplicationSeries(metrics.series, PRICES)
    for one in samples:
        application.count(one)
    return metrics


def value(metrics: Metrics, name: str, service: str = "shop-assistant", **labels: str) -> float | None:
    return series(metrics, f"groundwatch_app_{name}", service=service, **labels)


def test_a_trace_counts_with_its_latency_its_tokens_and_its_cost() -> None:
    metrics = counted(sample(duration_s=2.0, tokens=(TOKENS,)), sample(duration_s=4.0, tokens=(TOKENS,)))
    assert value(metrics, "latency_seconds_count") == 2
    assert value(metrics, "latency_seconds_sum") == 6.0
    assert value(metrics, "tokens_total", direction="input") == 2_000
    assert value(metrics, "tokens_total", direction="output") == 500
    assert value(metrics, "cost_usd_total") == pytest.approx(0.004)


def test_what_is_not_known_of_the_cost_is_counted_by_reason_and_known_reasons_start_at_0() -> None:
    metrics = counted(sample(tokens=(TOKENS,)), sample(tokens=(ModelTokens("other", 7, 7),)), sample())
    assert value(metrics, "unpriced_traces_total", reason="no_price") == 1
    assert value(metrics, "unpriced_traces_total", reason="no_tokens") == 1
    assert value(counted(sample(tokens=(TOKENS,))), "unpriced_traces_total", reason="no_price") == 0


def test_a_chat_turn_without_retrieval_counts_and_a_trace_of_neither_does_not() -> None:
    chat = sample(readiness=Readiness.NO_RETRIEVAL, tokens=(TOKENS,))
    insert = sample(readiness=Readiness.NO_RETRIEVAL, service="indexer")
    metrics = counted(chat, insert)
    assert value(metrics, "tokens_total", direction="input") == 1_000
    assert value(metrics, "cost_usd_total", service="indexer") is None


def test_evaluation_runs_and_traces_that_were_counted_before_are_left_out() -> None:
    metrics = counted(sample(tokens=(TOKENS,), excluded="an evaluation run"), sample(tokens=(TOKENS,), revision=1))
    assert value(metrics, "cost_usd_total") is None


def test_a_latency_that_the_spans_do_not_say_is_no_latency() -> None:
    assert value(counted(sample(tokens=(TOKENS,))), "latency_seconds_count") is None


def test_made_up_services_share_one_series_beyond_the_limit() -> None:
    metrics = counted(*(sample(service=f"s-{i}", tokens=(TOKENS,), duration_s=1.0) for i in range(500)))
    body = metrics.render()[0].decode()
    assert body.count("groundwatch_app_cost_usd_total{") == 101
    assert value(metrics, "cost_usd_total", service="__other__") == pytest.approx(0.8)
