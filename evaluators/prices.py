"""What models cost, as the operator says: prices change, and contracts differ."""

from collections.abc import Mapping
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

_MILLION = 1_000_000
_MAX_REMEMBERED = 1_024
"""Models looked up: their names come from traces, and are without number."""

Dollars = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


class Price(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    input_usd: Dollars
    output_usd: Dollars

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars for so many tokens."""
        return (input_tokens * self.input_usd + output_tokens * self.output_usd) / _MILLION


class Unpriced(StrEnum):
    """Why it is not known what calls of a model cost: they tell no tokens, or their model has no price."""

    NO_TOKENS = "no_tokens"
    NO_PRICE = "no_price"


class PriceTable:
    """Prices by model. A name may hold `*`, `?` and `[..]`: the exact name wins, then the longest pattern that fits."""

    def __init__(self, prices: Mapping[str, Price] | None = None) -> None:
        self._prices = dict(prices or {})
        self._patterns = sorted(self._prices, key=len, reverse=True)
        self._find = lru_cache(_MAX_REMEMBERED)(self._look_up)

    def of(self, model: str | None) -> Price | None:
        """The price of a model, None where there is none."""
        return None if model is None else self._find(model)

    def _look_up(self, model: str) -> Price | None:
        if model in self._prices:
            return self._prices[model]
        return next((self._prices[pattern] for pattern in self._patterns if fnmatchcase(model, pattern)), None)
