"""Sends samples to judges and hands on what they say."""

import asyncio
import logging
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from evaluators.breaker import BreakerState
from evaluators.cache import Cache
from evaluators.call import Call, CallResult
from evaluators.clock import Clock
from evaluators.desk import Desk
from evaluators.dispatch_metrics import DispatchMetrics
from evaluators.evaluation import FailReason
from evaluators.facets import Facet
from evaluators.judgement import Judgement
from evaluators.lane import Lane
from evaluators.lane_settings import JudgeLane, LaneSettings
from evaluators.sample import RagSample
from evaluators.shared_cache import SharedCache
from evaluators.submission import Submission

__all__ = ["DispatchMetrics", "Dispatcher", "JudgeLane", "Judgement", "LaneSettings"]

_log = logging.getLogger(__name__)


class Dispatcher:
    """One lane per judge, by configured name; a slow or broken judge holds up no other.

    `submit` never blocks and never raises for load: each submission ends in exactly one Judgement, given to `deliver`
    on the event loop, unless `stop` comes first. The caches belong to the caller, the judges to the dispatcher.
    """

    def __init__(
        self,
        lanes: Mapping[str, JudgeLane],
        cache: Cache,
        deliver: Callable[[Judgement], None],
        metrics: DispatchMetrics,
        clock: Clock,
        *,
        jitter: Callable[[], float] = random.random,
        shared: SharedCache | None = None,
    ) -> None:
        self._settings = dict(lanes)
        self._deliver = deliver
        self._clock = clock
        self._lanes = {name: Lane(lane, metrics, clock, jitter) for name, lane in lanes.items()}
        self._desks = {
            name: Desk(self._lanes[name], str(lane.judge.identity), cache, metrics, shared)
            for name, lane in lanes.items()
            if lane.cached
        }
        self._identities: dict[str, tuple[str | None, str]] = {}
        self._unfinished = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def start(self) -> None:
        """Begin; what was submitted before is not lost."""
        for lane in self._lanes.values():
            lane.start()

    async def drain(self, deadline_s: float) -> int:
        """Wait until all is judged, at most `deadline_s` seconds; how many submissions are unfinished then."""
        try:
            async with asyncio.timeout(deadline_s):
                await self._idle.wait()
        except TimeoutError:
            pass
        return self._unfinished

    async def stop(self) -> None:
        """Cancel what is in flight, without a judgement, and close the judges. May be called before start, or twice."""
        for desk in self._desks.values():
            await desk.stop()
        for name, lane in self._lanes.items():
            await lane.stop()
            await self._settings[name].judge.aclose()

    def state(self, judge: str) -> BreakerState:
        """Whether the judge called `judge` can be had."""
        return self._lanes[judge].health.state

    def depth(self, judge: str) -> int:
        """Calls that wait for the judge called `judge`."""
        return self._lanes[judge].depth

    def has_room(self, judge: str) -> bool:
        """Whether the judge called `judge` can take more without a queue. One that is down need not be waited for."""
        lane = self._lanes[judge]
        waiting = lane.depth + (self._desks[judge].waiting if judge in self._desks else 0)
        return waiting < self._settings[judge].settings.concurrency or lane.health.state is not BreakerState.CLOSED

    def last_failure(self, judge: str) -> FailReason | None:
        """Why the latest call to the judge called `judge` failed; None where it did not."""
        return self._lanes[judge].health.last_failure

    def submit(self, sample: RagSample, judge: str, facets: frozenset[Facet], closed_at: float) -> None:
        """Have `judge` answer `facets` about `sample`, whose trace closed at `closed_at` (monotonic seconds)."""
        lane = self._settings[judge]
        asked = facets & lane.judge.facets
        parts = [frozenset({facet}) for facet in asked] if lane.plan == "separate" else [asked]
        submission = Submission(sample, asked, closed_at, len(parts))
        self._unfinished += 1
        self._idle.clear()
        deadline = self._clock.monotonic() + lane.settings.deadline_s
        for part in parts:
            self._ask(judge, sample, part, deadline, partial(self._part_done, judge, submission))

    def _ask(
        self,
        judge: str,
        sample: RagSample,
        facets: frozenset[Facet],
        deadline: float,
        done: Callable[[CallResult, bool], None],
    ) -> None:
        if judge in self._desks:
            self._desks[judge].ask(sample, facets, deadline, done)
        else:
            self._lanes[judge].offer(Call(sample, facets, deadline, lambda result: done(result, False)))

    def _part_done(self, judge: str, submission: Submission, result: CallResult, cached: bool) -> None:
        submission.add(result, cached)
        if submission.pending:
            return
        self._unfinished -= 1
        if not self._unfinished:
            self._idle.set()
        try:
            self._deliver(self._judgement(judge, submission))
        except Exception:
            # The lane must go on; what failed is the stage behind, which has no better place to say so.
            _log.exception("a judgement by %s could not be handed on", judge)

    def _identity(self, judge: str, model: str | None) -> str:
        """Who judged, with the model that the provider reported; the last one is kept, as it seldom changes."""
        known, text = self._identities.get(judge, (None, ""))
        if not text or known != model:
            identity = self._settings[judge].judge.identity
            text = str(identity if model is None else replace(identity, model=model))
            self._identities[judge] = (model, text)
        return text

    def _judgement(self, judge: str, submission: Submission) -> Judgement:
        return Judgement(
            sample=submission.sample,
            judge=judge,
            identity=self._identity(judge, submission.model),
            facets=submission.facets,
            result=submission.result,
            usage=submission.usage,
            flags=submission.flags,
            cached=submission.cached,
            age_s=max(self._clock.monotonic() - submission.closed_at, 0.0),
        )
