import asyncio

import pytest

from evaluators.breaker import BreakerState
from evaluators.budget import BudgetSettings
from evaluators.cache import MemoryCache
from evaluators.dispatcher import Dispatcher, JudgeLane, LaneSettings
from evaluators.evaluation import Failed, FailReason, Skipped, SkipReason
from evaluators.facets import ONLINE_FACETS, Facet, FacetAnswers
from evaluators.judges.base import JudgeError, JudgeReply, NotJudgedError, Usage
from tests.fakes import DispatchCounts, LoopClock, ScriptedJudge, run_instantly
from tests.samples import good_answers, sample

ALL = ONLINE_FACETS
DOWN = JudgeError(FailReason.UNAVAILABLE, "HTTP 503", retryable=True)


class Bench:
    """A dispatcher with one scripted judge."""

    def __init__(self, *steps, plan="combined", cached=True, facets=ALL, **settings):
        self.judge = ScriptedJudge(*steps, facets=facets)
        self.metrics = DispatchCounts()
        self.delivered = []
        self.clock = LoopClock()
        self.cache = MemoryCache(self.clock)
        lane = JudgeLane(self.judge, LaneSettings(**settings), plan=plan, cached=cached)
        self.dispatcher = Dispatcher(
            {"scripted": lane}, self.cache, self.delivered.append, self.metrics, self.clock, jitter=lambda: 1.0
        )

    def submit(self, number=0, facets=ALL, **changes):
        one = sample(f"{number:032x}", **{"answer": f"Answer {number}.", **changes})
        self.dispatcher.submit(one, "scripted", facets, self.clock.monotonic())

    @property
    def results(self):
        return [judgement.result for judgement in self.delivered]

    def result_of(self, number):
        [judgement] = [judgement for judgement in self.delivered if int(judgement.sample.trace_id, 16) == number]
        return judgement.result


def judged(bench, *numbers, drain_s=3600.0):
    """Submit, drain, stop; how many were left."""

    async def run():
        await bench.dispatcher.start()
        for number in numbers:
            bench.submit(number)
        left = await bench.dispatcher.drain(drain_s)
        await bench.dispatcher.stop()
        return left

    return run_instantly(run())


def test_a_sample_is_judged_and_delivered_once_with_who_judged_and_how_long_it_took():
    bench = Bench(0.5)
    assert judged(bench, 1) == 0
    [judgement] = bench.delivered
    assert isinstance(judgement.result, FacetAnswers)
    assert judgement.judge == "scripted"
    assert judgement.identity == "test/model-1@1"
    assert judgement.usage == Usage(100, 20)
    assert judgement.age_s == pytest.approx(0.5, abs=0.01)
    assert not judgement.cached
    assert bench.metrics.count("judge_call", "scripted", "combined", "answered") == 1
    assert bench.metrics.count("judge_tokens", "scripted", "input") == 100


def test_no_more_calls_than_allowed_are_in_flight():
    bench = Bench(1.0, concurrency=3)
    judged(bench, *range(10))
    assert bench.judge.most_in_flight == 3
    assert len(bench.delivered) == 10


def test_a_retryable_failure_is_retried_with_growing_pauses():
    bench = Bench(DOWN, DOWN, 0.0)
    judged(bench, 1)
    assert isinstance(bench.results[0], FacetAnswers)
    assert len(bench.judge.asked) == 3
    assert bench.delivered[0].age_s == pytest.approx(0.5 + 1.0, abs=0.01)
    assert bench.metrics.count("judge_call", "scripted", "combined", "unavailable") == 2


def test_the_log_tells_of_a_judge_that_fails_and_works_again_without_what_it_was_asked(caplog):
    caplog.set_level("INFO", logger="evaluators")
    bench = Bench(*[JudgeError(FailReason.UNAUTHORIZED, "HTTP 401")] * 2, 0.0)
    judged(bench, 1, 2, 3)
    assert caplog.messages == ["judge scripted: unauthorized (HTTP 401)", "judge scripted: works again"]


def test_a_failure_that_cannot_be_helped_is_not_retried():
    bench = Bench(JudgeError(FailReason.UNAUTHORIZED, "HTTP 401"))
    judged(bench, 1)
    assert bench.results == [Failed(FailReason.UNAUTHORIZED, "HTTP 401")]
    assert len(bench.judge.asked) == 1
    assert bench.dispatcher.last_failure("scripted") is FailReason.UNAUTHORIZED


def test_attempts_end():
    bench = Bench(DOWN, max_attempts=3)
    judged(bench, 1)
    assert bench.results == [Failed(FailReason.UNAVAILABLE, "HTTP 503")]
    assert len(bench.judge.asked) == 3


def test_an_unusable_reply_is_asked_for_once_more_at_most():
    bench = Bench(JudgeError(FailReason.MALFORMED, "an empty reply", retryable=True), max_attempts=5)
    judged(bench, 1)
    assert len(bench.judge.asked) == 2


def test_a_retry_that_could_not_end_in_time_is_not_begun():
    bench = Bench(JudgeError(FailReason.RATE_LIMITED, retryable=True, retry_after=50), deadline_s=30)
    judged(bench, 1)
    assert bench.results == [Failed(FailReason.RATE_LIMITED)]
    assert bench.delivered[0].age_s < 1


def test_while_the_provider_asks_for_a_pause_nobody_calls():
    limited = JudgeError(FailReason.RATE_LIMITED, retryable=True, retry_after=7)
    bench = Bench(limited, 0.0, concurrency=1)
    judged(bench, 1, 2, 3)
    assert all(judgement.age_s >= 7 for judgement in bench.delivered)
    assert len(bench.judge.asked) == 4


def test_a_judge_that_hangs_is_given_up_at_the_deadline_and_frees_its_place():
    bench = Bench(1e9, 0.1, concurrency=1, deadline_s=20, cached=False)

    async def run():
        await bench.dispatcher.start()
        bench.submit(1)
        await asyncio.sleep(15)
        bench.submit(2)
        return await bench.dispatcher.drain(100)

    assert run_instantly(run()) == 0
    assert bench.results[0].reason is FailReason.TIMEOUT
    assert isinstance(bench.results[1], FacetAnswers)


def test_a_full_queue_sheds_the_oldest_and_says_so():
    bench = Bench(1.0, concurrency=1, queue_size=3)
    judged(bench, *range(10))
    shed = [int(j.sample.trace_id, 16) for j in bench.delivered if j.result == Skipped(SkipReason.SHED)]
    assert shed == [1, 2, 3, 4, 5, 6]
    assert len(bench.delivered) == 10


def test_what_waited_past_its_deadline_is_shed():
    bench = Bench(4.0, concurrency=1, deadline_s=10)
    judged(bench, 1, 2, 3, 4)
    assert bench.result_of(4) == Skipped(SkipReason.SHED)
    assert bench.result_of(3).reason is FailReason.TIMEOUT
    assert len(bench.judge.asked) == 3


def test_while_a_judge_is_down_calls_wait_and_are_judged_when_it_is_back():
    bench = Bench(*[DOWN] * 5, 0.0, max_attempts=1, breaker_failures=5, breaker_cooldown_s=5)

    async def run():
        await bench.dispatcher.start()
        for number in range(5):
            bench.submit(number)
        await asyncio.sleep(1)
        assert bench.dispatcher.state("scripted") is BreakerState.OPEN
        bench.submit(5)
        bench.submit(6)
        await asyncio.sleep(1)
        assert bench.dispatcher.depth("scripted") == 2
        return await bench.dispatcher.drain(100)

    assert run_instantly(run()) == 0
    assert [type(result) for result in bench.results[5:]] == [FacetAnswers, FacetAnswers]
    assert bench.metrics.states == ["closed", "open", "half_open", "closed"]


def test_a_budget_that_is_used_up_skips():
    bench = Bench(0.0, budget=BudgetSettings(calls_per_day=2))
    judged(bench, 1, 2, 3)
    assert bench.result_of(3) == Skipped(SkipReason.BUDGET)
    assert len(bench.judge.asked) == 2


def test_tokens_of_replies_that_cannot_be_used_are_counted_and_charged():
    unreadable = JudgeError(FailReason.MALFORMED, "no JSON object", usage=Usage(10, 5))
    bench = Bench(unreadable, concurrency=1, budget=BudgetSettings(tokens_per_day=30))
    judged(bench, 1, 2, 3)
    assert len(bench.judge.asked) == 2
    assert bench.result_of(3) == Skipped(SkipReason.BUDGET)
    assert bench.metrics.count("judge_tokens", "scripted", "input") == 20
    assert bench.metrics.count("judge_tokens", "scripted", "output") == 10


def test_a_sample_that_the_judge_will_not_look_at_is_skipped_not_failed():
    bench = Bench(NotJudgedError(SkipReason.TOO_LONG))
    judged(bench, 1)
    assert bench.results == [Skipped(SkipReason.TOO_LONG)]
    assert bench.metrics.count("judge_call", "scripted", "combined", "skipped") == 1


def test_the_same_question_asked_at_once_is_one_call():
    bench = Bench(1.0)
    judged(bench, 1, 1, 1)
    assert len(bench.judge.asked) == 1
    assert [judgement.cached for judgement in bench.delivered] == [False, True, True]
    assert bench.metrics.count("cache_request", "joined") == 2


def test_the_same_question_asked_again_is_answered_from_the_cache():
    bench = Bench(1.0)
    judged(bench, 1)

    async def again():
        await bench.dispatcher.start()
        bench.submit(1)
        return await bench.dispatcher.drain(0)

    assert run_instantly(again()) == 0
    assert len(bench.judge.asked) == 1
    assert bench.delivered[1].cached
    assert bench.delivered[1].usage == Usage()
    assert bench.delivered[1].result == bench.delivered[0].result


def test_a_failure_is_not_remembered():
    bench = Bench(JudgeError(FailReason.REFUSED), 0.0)

    async def run():
        await bench.dispatcher.start()
        bench.submit(1)
        await bench.dispatcher.drain(10)
        bench.submit(1)
        await bench.dispatcher.drain(10)

    run_instantly(run())
    assert [type(result) for result in bench.results] == [Failed, FacetAnswers]


def test_a_judge_without_cache_is_asked_every_time():
    bench = Bench(0.0, cached=False)
    judged(bench, 1, 1)
    assert len(bench.judge.asked) == 2


def test_when_an_alias_points_to_another_model_older_verdicts_are_not_used():
    def by(model):
        return lambda sample, facets: JudgeReply(good_answers(sample, facets), model=model)

    bench = Bench(by("m-january"), by("m-march"), by("m-march"))

    async def run():
        await bench.dispatcher.start()
        for number in (1, 2, 1, 1):
            bench.submit(number)
            await bench.dispatcher.drain(10)

    run_instantly(run())
    assert [judgement.cached for judgement in bench.delivered] == [False, False, False, True]
    assert [judgement.identity for judgement in bench.delivered] == [
        "test/m-january@1",
        "test/m-march@1",
        "test/m-march@1",
        "test/m-march@1",
    ]


def test_one_call_for_each_facet_where_the_plan_says_so():
    bench = Bench(1.0, plan="separate")
    judged(bench, 1)
    assert {facets for _, facets in bench.judge.asked} == {frozenset({facet}) for facet in ONLINE_FACETS}
    [judgement] = bench.delivered
    assert None not in (judgement.result.claim_support, judgement.result.chunk_relevance, judgement.result.answer_fit)
    assert judgement.usage == Usage(300, 60)
    assert bench.metrics.count("judge_call", "scripted", "chunk_relevance", "answered") == 1


def test_a_judgement_is_whole_or_a_failure():
    bench = Bench(0.0, JudgeError(FailReason.REFUSED), 0.0, plan="separate")
    judged(bench, 1)
    assert bench.results == [Failed(FailReason.REFUSED)]


def test_relevance_of_a_chunk_to_a_question_is_known_whatever_the_answer_and_the_other_chunks():
    relevance = frozenset({Facet.CHUNK_RELEVANCE})
    bench = Bench(0.0, plan="separate")

    async def run():
        await bench.dispatcher.start()
        for chunks in (("a", "b"), ("c",), ("c", "b")):
            bench.submit(1, relevance, chunks=chunks, answer=f"About {chunks}.")
            await bench.dispatcher.drain(10)

    run_instantly(run())
    assert [judgement.cached for judgement in bench.delivered] == [False, False, True]
    assert len(bench.results[2].chunk_relevance.scores) == 2


def test_only_facets_that_the_judge_answers_are_asked():
    bench = Bench(0.0, facets=frozenset({Facet.ANSWER_FIT}))
    judged(bench, 1)
    assert bench.judge.asked[0][1] == frozenset({Facet.ANSWER_FIT})


def test_what_is_submitted_before_the_start_is_judged_after_it():
    bench = Bench(0.0)

    async def run():
        bench.submit(1)
        await bench.dispatcher.start()
        return await bench.dispatcher.drain(10)

    assert run_instantly(run()) == 0
    assert len(bench.delivered) == 1


def test_a_stage_behind_that_fails_does_not_stop_the_lane(caplog):
    bench = Bench(0.0)
    seen = []

    def deliver(judgement):
        seen.append(judgement)
        raise RuntimeError("behind")

    bench.dispatcher = Dispatcher(
        {"scripted": JudgeLane(bench.judge)}, bench.cache, deliver, bench.metrics, bench.clock
    )
    assert judged(bench, 1, 2) == 0
    assert len(seen) == 2
    assert "could not be handed on" in caplog.text


def test_a_drain_that_runs_out_of_time_says_how_many_are_left_and_delivers_nothing_for_them():
    bench = Bench(100.0, concurrency=2, deadline_s=1_000)
    assert judged(bench, 1, 2, 3, drain_s=5) == 3
    assert bench.delivered == []
    assert bench.judge.in_flight == 0
    assert bench.judge.closed


def test_stopping_before_the_start_and_twice_is_no_error():
    async def run():
        bench = Bench(0.0)
        await bench.dispatcher.stop()
        await bench.dispatcher.stop()

    run_instantly(run())


def test_a_judge_that_cancels_its_own_call_has_failed():
    bench = Bench(asyncio.CancelledError())
    assert judged(bench, 1) == 0
    assert bench.results == [Failed(FailReason.ERROR, "the judge cancelled its own call")]
