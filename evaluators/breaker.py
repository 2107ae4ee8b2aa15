"""A circuit breaker: when a judge is down, stop asking it, and find out by itself that it is back."""

from enum import StrEnum


class BreakerState(StrEnum):
    """Closed lets calls through, open none, half-open one at a time to find out."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Breaker:
    """Opens after `failures` failures in a row for `cooldown_s`, twice as long after each failed probe up to `max_s`.

    Pure: `now` is monotonic seconds.
    """

    def __init__(self, failures: int = 5, cooldown_s: float = 5.0, max_s: float = 60.0) -> None:
        self.state = BreakerState.CLOSED
        self.retry_at = 0.0
        self._threshold = failures
        self._first_cooldown = cooldown_s
        self._max = max_s
        self._cooldown = cooldown_s
        self._failures = 0
        self._probing = False

    def admits(self, now: float) -> bool:
        """Whether a call may start now. A True while half-open is the one probe: its outcome must be recorded."""
        if self.state is BreakerState.CLOSED:
            return True
        if self._probing or now < self.retry_at:
            return False
        self.state = BreakerState.HALF_OPEN
        self._probing = True
        return True

    def succeeded(self) -> None:
        """The judge answered, whatever it said."""
        self.state = BreakerState.CLOSED
        self._cooldown = self._first_cooldown
        self._failures = 0
        self._probing = False

    def failed(self, now: float) -> None:
        """The judge could not be had."""
        self._failures += 1
        if self.state is BreakerState.HALF_OPEN:
            self._cooldown = min(self._cooldown * 2, self._max)
            self._open(now)
        elif self.state is BreakerState.CLOSED and self._failures >= self._threshold:
            self._open(now)

    def told_nothing(self) -> None:
        """The call ended without saying anything about the judge's health."""
        self._probing = False

    def _open(self, now: float) -> None:
        self.state = BreakerState.OPEN
        self.retry_at = now + self._cooldown
        self._probing = False
