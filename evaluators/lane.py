"""One judge's lane: a bounded queue, so many calls at once, retries, a breaker and a budget."""

import asyncio
from collections import deque
from collections.abc import Callable

from evaluators.breaker import BreakerState
from evaluators.budget import Budget
from evaluators.call import AttemptResult, Call, CallResult, attempt
from evaluators.charging import Charging
from evaluators.clock import Clock
from evaluators.dispatch_metrics import DispatchMetrics
from evaluators.evaluation import Failed, FailReason, Skipped, SkipReason
from evaluators.health import DOWN, JudgeHealth
from evaluators.health_log import HealthLog
from evaluators.judges.base import JudgeError, JudgeReply, NotJudgedError
from evaluators.lane_settings import JudgeLane
from evaluators.retry import Backoff


class Lane:
    """Takes calls and sees each to its end.

    A full queue sheds its oldest call: the newest verdict is worth most, and the oldest is nearest to its deadline.
    While the breaker is open calls wait, up to their deadline, so that a short outage costs nothing.
    """

    def __init__(self, lane: JudgeLane, metrics: DispatchMetrics, clock: Clock, random: Callable[[], float]) -> None:
        self._judge = lane.judge
        self._name = lane.judge.identity.name
        self._settings = lane.settings
        self._metrics = metrics
        self._clock = clock
        self._random = random
        self._backoff = Backoff()
        self._budget = Budget(lane.settings.budget, clock)
        self._charging = Charging(self._name, lane.price, self._budget, metrics)
        self.health = JudgeHealth(lane.settings, self._backoff, lambda state: metrics.breaker_state(self._name, state))
        self._health_log = HealthLog(lane.judge.identity)
        self._queue: deque[Call] = deque()
        self._resting: dict[Call, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._wakes_at = 0.0
        self._running = False

    @property
    def depth(self) -> int:
        """Calls that wait: for a place, or to be tried again."""
        return len(self._queue) + len(self._resting)

    def start(self) -> None:
        """Begin with what has been offered so far."""
        self._running = True
        self._metrics.breaker_state(self._name, self.health.state)
        self._pump()

    async def stop(self) -> None:
        """Cancel what is in flight. What is unfinished is not reported: whoever holds its receipt judges it again."""
        self._running = False
        for timer in (self._timer, *self._resting.values()):
            if timer is not None:
                timer.cancel()
        self._queue.clear()
        self._resting.clear()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def offer(self, call: Call) -> None:
        """Queue `call`; a full queue sheds its oldest."""
        if self.depth >= self._settings.queue_size:
            shed = self._queue.popleft() if self._queue else call
            shed.end(Skipped(SkipReason.SHED))
            if shed is call:
                return
        self._queue.append(call)
        self._pump()

    def _pump(self) -> None:
        """Start what may start, and see to it that the rest is looked at again in time."""
        if not self._running:
            return
        now = self._clock.monotonic()
        self._expire(now)
        while self._queue and self.health.admits(len(self._tasks), now):
            self._begin(self._queue.popleft(), now)
        self._metrics.queue_depth(self._name, self.depth)
        self._arm(now)

    def _begin(self, call: Call, now: float) -> None:
        if call.deadline <= now or not self._budget.take(call.sample.service):
            self.health.not_asked()
            call.end(self._too_late() if call.deadline <= now else Skipped(SkipReason.BUDGET))
            return
        call.attempts += 1
        task = asyncio.get_running_loop().create_task(self._attempt(call, now))
        self._tasks.add(task)
        task.add_done_callback(self._attempted)

    async def _attempt(self, call: Call, started: float) -> None:
        result = await attempt(self._judge, call, call.deadline - started)
        now = self._clock.monotonic()
        self.health.ended(result, now)
        self._health_log.ended(result, self.health, now)
        self._metrics.judge_call(self._name, call.label, _outcome(result), now - started)
        self._charging.charge(result)
        if not self._running:
            return
        if isinstance(result, JudgeError):
            self._retry_or_fail(call, result, now)
        else:
            call.end(Skipped(result.reason) if isinstance(result, NotJudgedError) else result)

    def _attempted(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._pump()

    def _retry_or_fail(self, call: Call, error: JudgeError, now: float) -> None:
        call.failure = Failed(error.reason, error.detail)
        delay = self._backoff.delay(call.attempts, error.retry_after, self._random)
        attempts = self._settings.max_attempts if error.reason in DOWN else min(self._settings.max_attempts, 2)
        if not error.retryable or call.attempts >= attempts or now + delay >= call.deadline:
            call.end(call.failure)
            return
        self._resting[call] = asyncio.get_running_loop().call_later(delay, self._again, call)

    def _again(self, call: Call) -> None:
        del self._resting[call]
        self._queue.appendleft(call)
        self._pump()

    def _expire(self, now: float) -> None:
        while self._queue and self._queue[0].deadline <= now:
            self._queue.popleft().end(self._too_late())

    def _too_late(self) -> CallResult:
        if self.health.state is BreakerState.CLOSED:
            return Skipped(SkipReason.SHED)
        return Failed(FailReason.UNAVAILABLE, "the circuit breaker is open")

    def _arm(self, now: float) -> None:
        """Wake when the head of the queue is due, or earlier when breaker or pause may let it go.

        A timer that is set for an earlier time stays: it costs less to wake in vain than to set a new one each time.
        """
        if not self._queue:
            return
        due = self._queue[0].deadline
        wake = min(due, self.health.next_change(now) or due)
        if self._timer is not None and wake >= self._wakes_at > now:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._wakes_at = wake
        self._timer = asyncio.get_running_loop().call_later(wake - now, self._pump)


def _outcome(result: AttemptResult) -> str:
    if isinstance(result, JudgeReply):
        return "answered"
    return "skipped" if isinstance(result, NotJudgedError) else result.reason.value
