import pytest
from pydantic import ValidationError

from evaluators.prices import Price, PriceTable


def price(usd: float) -> Price:
    return Price(input_usd=usd, output_usd=usd)


def test_a_price_is_in_dollars_per_million_tokens():
    assert Price(input_usd=0.15, output_usd=0.6).of(2_000_000, 500_000) == pytest.approx(0.6)


def test_the_exact_name_wins_and_then_the_longest_pattern():
    table = PriceTable({"*": price(9), "gpt-4o*": price(2), "gpt-4o-mini*": price(1), "gpt-4o-mini-free": price(0)})
    models = ("gpt-4o-mini-free", "gpt-4o-mini-2024-07-18", "gpt-4o-2024-08-06", "claude")
    assert [table.of(model) for model in models] == [price(0), price(1), price(2), price(9)]


def test_a_model_that_nobody_gave_a_price_has_none():
    table = PriceTable({"gpt-4o*": price(2)})
    assert table.of("GPT-4o") is None
    assert table.of(None) is None
    assert PriceTable().of("gpt-4o") is None


@pytest.mark.parametrize("usd", [-1, float("nan"), float("inf"), "cheap"])
def test_a_price_that_is_none_is_refused(usd):
    with pytest.raises(ValidationError):
        Price(input_usd=usd, output_usd=1)
