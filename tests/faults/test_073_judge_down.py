import asyncio
from collections import Counter

from evaluators.breaker import BreakerState
from evaluators.cache import MemoryCache
from evaluators.dispatcher import Dispatcher, JudgeLane, LaneSettings
from evaluators.evaluation import FailReason, Skipped, SkipReason
from evaluators.facets import ONLINE_FACETS, FacetAnswers
from evaluators.judges.base import JudgeError, JudgeReply
from tests.fakes import DispatchCounts, LoopClock, ScriptedJudge, run_instantly
from tests.samples import good_answers, sample

QUEUE = 50
DOWN_FROM, DOWN_UNTIL, END = 60, 660, 900


class TenMinutes:
    """One sample a second for a quarter of an hour, with the judge down for ten minutes of it."""

    def __init__(self):
        self.clock = LoopClock()
        self.metrics = DispatchCounts()
        self.delivered = []
        self.depths = []
        self.calls_while_down = 0
        self.judge = ScriptedJudge(self.answer)

    def answer(self, sample, facets):
        if DOWN_FROM <= self.seconds() < DOWN_UNTIL:
            self.calls_while_down += 1
            raise JudgeError(FailReason.UNAVAILABLE, "HTTP 503", retryable=True)
        return JudgeReply(good_answers(sample, facets))

    def seconds(self):
        return self.clock.monotonic() - self.begun

    async def run(self):
        self.begun = self.clock.monotonic()
        lane = JudgeLane(self.judge, LaneSettings(queue_size=QUEUE, deadline_s=60))
        dispatcher = Dispatcher(
            {"scripted": lane}, MemoryCache(self.clock), self.deliver, self.metrics, self.clock, jitter=lambda: 1.0
        )
        await dispatcher.start()
        for second in range(END):
            dispatcher.submit(
                sample(f"{second:032x}", answer=f"{second}"), "scripted", ONLINE_FACETS, self.clock.monotonic()
            )
            self.depths.append(dispatcher.depth("scripted"))
            if second == DOWN_UNTIL - 10:
                assert dispatcher.state("scripted") is BreakerState.OPEN
            await asyncio.sleep(1)
        assert await dispatcher.drain(100) == 0
        assert dispatcher.state("scripted") is BreakerState.CLOSED
        await dispatcher.stop()

    def deliver(self, judgement):
        self.delivered.append((self.seconds(), int(judgement.sample.trace_id, 16), judgement.result))


def test_a_judge_that_is_down_for_ten_minutes_costs_its_verdicts_and_nothing_else():
    outage = TenMinutes()
    run_instantly(outage.run())

    assert sorted(number for _, number, _ in outage.delivered) == list(range(END))
    assert max(outage.depths) <= QUEUE
    assert outage.calls_while_down < 30

    kinds = Counter(type(r) if isinstance(r, FacetAnswers) else r.reason for _, _, r in outage.delivered)
    assert set(kinds) <= {FacetAnswers, FailReason.UNAVAILABLE, SkipReason.SHED}
    assert kinds[FailReason.UNAVAILABLE] + kinds[SkipReason.SHED] > 500

    answered = [number for _, number, result in outage.delivered if isinstance(result, FacetAnswers)]
    assert set(range(DOWN_FROM)) <= set(answered)
    assert set(range(DOWN_UNTIL + 60, END)) <= set(answered)
    assert not any(DOWN_FROM < at < DOWN_UNTIL for at, _, r in outage.delivered if isinstance(r, FacetAnswers))
    assert outage.metrics.states[:2] == ["closed", "open"]
    assert outage.metrics.states[-2:] == ["half_open", "closed"]


def test_nothing_that_was_not_judged_has_a_score():
    outage = TenMinutes()
    run_instantly(outage.run())
    during = [r for at, _, r in outage.delivered if DOWN_FROM + 1 < at < DOWN_UNTIL]
    assert during
    assert all(isinstance(result, Skipped) or result.reason is FailReason.UNAVAILABLE for result in during)
