import pytest

from evaluators.consumption import consumption
from evaluators.prices import Price, PriceTable, Unpriced
from evaluators.sample import ModelTokens
from tests.samples import sample

PRICES = PriceTable({"m-1": Price(input_usd=2.0, output_usd=10.0), "small": Price(input_usd=0.1, output_usd=0.2)})


def read(*tokens: ModelTokens, duration_s=None):
    return consumption(sample(tokens=tokens, duration_s=duration_s), PRICES)


def test_cost_is_each_models_tokens_at_its_own_price():
    found = read(ModelTokens("m-1", 500_000, 100_000), ModelTokens("small", 1_000_000, 0), duration_s=3.0)
    assert (found.latency_s, found.input_tokens, found.output_tokens) == (3.0, 1_500_000, 100_000)
    assert found.cost_usd == pytest.approx(2.1)
    assert found.unpriced is None


def test_what_the_spans_do_not_say_is_unknown_and_not_free():
    assert read().unpriced is Unpriced.NO_TOKENS
    assert read().latency_s is None
    assert read(ModelTokens("m-1", untold=1)).unpriced is Unpriced.NO_TOKENS


def test_the_cost_of_a_trace_of_which_a_part_is_known_is_a_lower_bound():
    found = read(ModelTokens("m-1", 1_000_000, 0), ModelTokens("other", 7, 7))
    assert (found.cost_usd, found.unpriced) == (2.0, Unpriced.NO_PRICE)
    assert read(ModelTokens("m-1", 1_000_000, 0, untold=1)).unpriced is Unpriced.NO_TOKENS


def test_a_call_of_a_model_that_no_span_names_has_no_price():
    assert read(ModelTokens(None, 10, 10)).unpriced is Unpriced.NO_PRICE
