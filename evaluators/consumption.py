"""Latency, tokens and cost of the application itself, from its trace. What judges cost is counted apart."""

from dataclasses import dataclass

from evaluators.prices import PriceTable, Unpriced
from evaluators.sample import RagSample


@dataclass(frozen=True, slots=True)
class Consumption:
    """What one trace took. `latency_s` is None where its spans do not say.

    With `unpriced` set, cost and tokens are a lower bound: those of some calls are not known.
    """

    latency_s: float | None
    input_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced: Unpriced | None


def consumption(sample: RagSample, prices: PriceTable) -> Consumption:
    """Read off one trace, each model's tokens at its price."""
    priced = [(entry, prices.of(entry.model)) for entry in sample.tokens]
    return Consumption(
        latency_s=sample.duration_s,
        input_tokens=sum(entry.input for entry in sample.tokens),
        output_tokens=sum(entry.output for entry in sample.tokens),
        cost_usd=sum(price.of(entry.input, entry.output) for entry, price in priced if price is not None),
        unpriced=_unpriced(sample, all_priced=all(price is not None for _, price in priced)),
    )


def _unpriced(sample: RagSample, *, all_priced: bool) -> Unpriced | None:
    if not sample.tokens or any(entry.untold for entry in sample.tokens):
        return Unpriced.NO_TOKENS
    return None if all_priced else Unpriced.NO_PRICE
