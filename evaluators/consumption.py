"""Latency, tokens and cost of the application itself, from its trace. What judges cost is counted apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import quantiles

from evaluators.sample import RagSample

MODEL_ATTRIBUTE = "gen_ai.request.model"
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input_usd: float
    output_usd: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars for so many tokens."""
        return (input_tokens * self.input_usd + output_tokens * self.output_usd) / _MILLION


@dataclass(frozen=True, slots=True)
class Consumption:
    """What one trace took; None where its spans do not say, or where nobody gave a price for its model."""

    latency_s: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Consumed:
    """Totals over traces. The `unpriced` ones are those whose cost is not in `cost_usd`: it is a lower bound then."""

    traces: int
    latency_p50_s: float | None
    latency_p95_s: float | None
    input_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced: int


def consumption(sample: RagSample, prices: Mapping[str, Price]) -> Consumption:
    """Read off one trace. `prices` are by the model's name as the spans have it."""
    price = prices.get(sample.attributes.get(MODEL_ATTRIBUTE, ""))
    cost = None
    if price is not None and sample.input_tokens is not None and sample.output_tokens is not None:
        cost = price.of(sample.input_tokens, sample.output_tokens)
    latency = sample.duration_s if sample.duration_s is not None and sample.duration_s >= 0 else None
    return Consumption(latency, sample.input_tokens, sample.output_tokens, cost)


def total(parts: list[Consumption]) -> Consumed:
    """Sum up; quantiles need two traces with a latency."""
    latencies = [part.latency_s for part in parts if part.latency_s is not None]
    cuts = quantiles(latencies, n=20, method="inclusive") if len(latencies) > 1 else None
    return Consumed(
        traces=len(parts),
        latency_p50_s=cuts[9] if cuts else None,
        latency_p95_s=cuts[18] if cuts else None,
        input_tokens=sum(part.input_tokens or 0 for part in parts),
        output_tokens=sum(part.output_tokens or 0 for part in parts),
        cost_usd=sum(part.cost_usd or 0.0 for part in parts),
        unpriced=sum(part.cost_usd is None for part in parts),
    )
