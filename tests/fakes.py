"""Every hand-written fake of the suite: for what a test cannot have for real (time, counters, models)."""

from collections import Counter


class FakeClock:
    """Time that moves when the test says so."""

    def __init__(self, now: float = 0.0, epoch: float = 1_800_000_000.0) -> None:
        self.now = now
        self._epoch = epoch

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return self._epoch + self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class CountingMetrics:
    """Takes any counting method of any metrics protocol: the last number is the amount, the rest are labels."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[object, ...]] = Counter()

    def spans_dropped(self, reason: str, count: int) -> None:
        self.counts["spans_dropped", reason] += count

    def spans_received(self, receiver: str, count: int) -> None:
        self.counts["spans_received", receiver] += count

    def spans_rejected(self, receiver: str, reason: str, count: int) -> None:
        self.counts["spans_rejected", receiver, reason] += count

    def count(self, *labels: object) -> int:
        """How much was counted under exactly these labels."""
        return self.counts[labels]
