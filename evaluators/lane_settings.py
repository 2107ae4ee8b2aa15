"""How a judge is used."""

from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from evaluators.budget import BudgetSettings
from evaluators.judges.base import Judge
from evaluators.prices import Price


class LaneSettings(BaseModel):
    """Limits of one judge's lane. The deadline covers waiting, all attempts and the pauses between them."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    concurrency: PositiveInt = 64
    queue_size: PositiveInt = 4_000
    deadline_s: float = Field(60.0, gt=0, allow_inf_nan=False)
    max_attempts: PositiveInt = 3
    breaker_failures: PositiveInt = 5
    breaker_cooldown_s: float = Field(5.0, gt=0, allow_inf_nan=False)
    budget: BudgetSettings = BudgetSettings()


@dataclass(frozen=True, slots=True)
class JudgeLane:
    """A judge and how it is used.

    `plan`: all facets in one call, or one call each. `cached` is False for a judge that is cheaper than a look-up.
    `price` is that of its model, None where nobody gave one.
    """

    judge: Judge
    settings: LaneSettings = field(default_factory=LaneSettings)
    plan: Literal["combined", "separate"] = "combined"
    cached: bool = True
    price: Price | None = None
