"""How many calls a judge takes at once: halved when it says "too many", raised again one by one."""


class Limiter:
    """Additive increase, multiplicative decrease, and a pause while the provider asks for one.

    Pure: `now` is monotonic seconds. `limit` stays in 1..`maximum`.
    """

    def __init__(self, maximum: int) -> None:
        self.resumes_at = 0.0
        self._maximum = float(maximum)
        self._limit = float(maximum)

    @property
    def limit(self) -> int:
        """Calls that may be in flight."""
        return int(self._limit)

    def succeeded(self) -> None:
        """One more call fits after about as many successes as are in flight."""
        if self._limit < self._maximum:
            self._limit = min(self._limit + 1.0 / self._limit, self._maximum)

    def refused(self, now: float, pause_s: float) -> None:
        """The judge refused for its rate. Refusals of calls that left before the pause began count as one."""
        if now >= self.resumes_at:
            self._limit = max(self._limit / 2, 1.0)
        self.resumes_at = max(self.resumes_at, now + pause_s)
