"""When to ask again."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential, jittered, and never shorter than the provider asked for, up to `retry_after_max_s`."""

    base_s: float = 0.5
    max_s: float = 20.0
    retry_after_max_s: float = 60.0

    def delay(self, attempt: int, retry_after: float | None, random: Callable[[], float]) -> float:
        """Seconds to wait after the `attempt`-th attempt (from 1) failed. `random` gives numbers in [0, 1)."""
        exponential = min(self.base_s * 2.0 ** (attempt - 1), self.max_s)
        return max(exponential * (0.5 + random() / 2), self.asked(retry_after))

    def asked(self, retry_after: float | None) -> float:
        """The provider's own wish within reason: a negative one is none, a day is capped."""
        return min(max(retry_after or 0.0, 0.0), self.retry_after_max_s)
