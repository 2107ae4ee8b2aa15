"""Sums over a sliding window, O(1) per value and per reading, in memory that does not grow with traffic."""

from collections import Counter
from dataclasses import dataclass, field

BUCKETS = 60
"""A window forgets in steps of 1/60 of its length."""


@dataclass(slots=True)
class Tally:
    """What a stretch of time held: how many values, their sum and squares, how many failed and of what cause."""

    n: int = 0
    failures: int = 0
    total: float = 0.0
    squares: float = 0.0
    causes: Counter[str] = field(default_factory=Counter)

    def add(self, value: float, failed: bool, cause: str, sign: int = 1) -> None:
        """Count one value; `sign` -1 takes it back."""
        self.n += sign
        self.total += sign * value
        self.squares += sign * value * value
        if failed:
            self.failures += sign
            self.causes[cause] += sign
        self._settle()

    def merge(self, other: "Tally", sign: int = 1) -> None:
        """Count all of another tally; `sign` -1 takes it back."""
        self.n += sign * other.n
        self.failures += sign * other.failures
        self.total += sign * other.total
        self.squares += sign * other.squares
        for cause, count in other.causes.items():
            self.causes[cause] += sign * count
        self._settle()

    def _settle(self) -> None:
        # No rounding error outlives the values that caused it.
        if self.n == 0:
            self.total = self.squares = 0.0
            self.causes.clear()

    @property
    def main_cause(self) -> str:
        """The most frequent cause of failure, empty where nothing failed."""
        cause, count = max(self.causes.items(), key=lambda item: item[1], default=("", 0))
        return cause if count > 0 else ""


class Window:
    """The last `length_s` seconds of a stream. Times are monotonic and never go back."""

    def __init__(self, length_s: float, buckets: int = BUCKETS) -> None:
        self.length_s = length_s
        self._width = length_s / buckets
        self._count = buckets
        self._buckets: dict[int, Tally] = {}
        self.tally = Tally()

    def add(self, at: float, value: float, failed: bool, cause: str = "") -> int:
        """Count a value; returns the bucket that `retract` needs to take it back."""
        bucket = int(at // self._width)
        tally = self._buckets.get(bucket)
        if tally is None:
            tally = self._buckets[bucket] = Tally()
        tally.add(value, failed, cause)
        self.tally.add(value, failed, cause)
        return bucket

    def merge(self, at: float, tally: Tally) -> None:
        """Count a whole tally at a time."""
        self._buckets.setdefault(int(at // self._width), Tally()).merge(tally)
        self.tally.merge(tally)

    def retract(self, bucket: int, value: float, failed: bool, cause: str = "") -> None:
        """Take a value back, if the window still holds it."""
        if tally := self._buckets.get(bucket):
            tally.add(value, failed, cause, -1)
            self.tally.add(value, failed, cause, -1)

    def expire(self, now: float) -> list[Tally]:
        """Forget what is older than the window; returns it, oldest first."""
        oldest = int(now // self._width) - self._count
        gone: list[Tally] = []
        while self._buckets and (bucket := next(iter(self._buckets))) <= oldest:
            tally = self._buckets.pop(bucket)
            self.tally.merge(tally, -1)
            gone.append(tally)
        return gone
