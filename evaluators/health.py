"""Whether a judge may be asked now: its breaker, its rate and its pauses, learnt from how calls end."""

from collections.abc import Callable

from evaluators.breaker import Breaker, BreakerState
from evaluators.call import AttemptResult
from evaluators.evaluation import FailReason
from evaluators.judges.base import JudgeError, JudgeReply
from evaluators.lane_settings import LaneSettings
from evaluators.limiter import Limiter
from evaluators.retry import Backoff

DOWN = frozenset({FailReason.UNAVAILABLE, FailReason.TIMEOUT, FailReason.RATE_LIMITED, FailReason.UNAUTHORIZED})
"""What says that the judge cannot be had. Any other failure is an answer of sorts, or (`error`) tells of the sample."""


class JudgeHealth:
    """Pure: `now` is monotonic seconds. `changed` hears of each new state. `last_failure` is None after a success."""

    def __init__(self, settings: LaneSettings, backoff: Backoff, changed: Callable[[BreakerState], None]) -> None:
        self.last_failure: FailReason | None = None
        self._breaker = Breaker(settings.breaker_failures, settings.breaker_cooldown_s)
        self._limiter = Limiter(settings.concurrency)
        self._backoff = backoff
        self._changed = changed

    @property
    def state(self) -> BreakerState:
        """Whether the judge can be had, as far as we know."""
        return self._breaker.state

    def admits(self, in_flight: int, now: float) -> bool:
        """Whether one more call may start. After a True, `ended` or `not_asked` must follow."""
        if in_flight >= self._limiter.limit or now < self._limiter.resumes_at:
            return False
        before = self.state
        admitted = self._breaker.admits(now)
        self._tell(before)
        return admitted

    def next_change(self, now: float) -> float | None:
        """When, without any call ending, one more may start; None where nothing holds it back or a call does."""
        return min((gate for gate in (self._limiter.resumes_at, self._breaker.retry_at) if gate > now), default=None)

    def pause(self, now: float) -> float:
        """Seconds until a call may start."""
        return max(self._limiter.resumes_at, self._breaker.retry_at, now) - now

    def not_asked(self) -> None:
        """The admitted call was not made."""
        self._breaker.told_nothing()

    def ended(self, result: AttemptResult, now: float) -> None:
        """Learn from how a call ended."""
        before = self.state
        if isinstance(result, JudgeError):
            self._failed(result, now)
        elif isinstance(result, JudgeReply):
            self._breaker.succeeded()
            self._limiter.succeeded()
            self.last_failure = None
        else:
            self._breaker.told_nothing()
        self._tell(before)

    def _failed(self, error: JudgeError, now: float) -> None:
        self.last_failure = error.reason
        if error.reason is FailReason.RATE_LIMITED:
            self._limiter.refused(now, self._backoff.asked(error.retry_after))
        if error.reason in DOWN:
            self._breaker.failed(now)
        elif error.reason is FailReason.ERROR:
            self._breaker.told_nothing()
        else:
            self._breaker.succeeded()

    def _tell(self, before: BreakerState) -> None:
        if self.state is not before:
            self._changed(self.state)
