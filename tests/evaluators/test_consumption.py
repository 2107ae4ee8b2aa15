import pytest

from evaluators.consumption import MODEL_ATTRIBUTE, Price, consumption, total
from tests.samples import sample

PRICES = {"m-1": Price(input_usd=2.0, output_usd=10.0)}


def read(**changes):
    return consumption(sample(attributes={MODEL_ATTRIBUTE: "m-1"}, **changes), PRICES)


def test_cost_is_tokens_times_the_price_of_the_model():
    assert read(input_tokens=500_000, output_tokens=100_000).cost_usd == pytest.approx(2.0)


def test_what_the_spans_do_not_say_is_unknown_and_not_zero():
    assert (read().input_tokens, read().cost_usd, read().latency_s) == (None, None, None)
    assert read(input_tokens=5).cost_usd is None
    assert consumption(sample(input_tokens=5, output_tokens=5), PRICES).cost_usd is None


def test_a_latency_below_zero_is_none():
    assert read(duration_s=-3.0).latency_s is None
    assert read(duration_s=3.0).latency_s == 3.0


def test_totals_say_how_many_traces_have_no_price():
    parts = [read(duration_s=float(i), input_tokens=1_000_000, output_tokens=0) for i in range(1, 21)]
    summed = total([*parts, read(input_tokens=7)])
    assert (summed.traces, summed.unpriced) == (21, 1)
    assert summed.cost_usd == pytest.approx(40.0)
    assert summed.input_tokens == 20_000_007
    assert summed.latency_p50_s == pytest.approx(10.5)
    assert summed.latency_p95_s == pytest.approx(19.05)


def test_no_trace_has_no_latency():
    assert total([]).latency_p95_s is None
