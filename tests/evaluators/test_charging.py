"""What a judge's calls cost is counted whatever became of them."""

import asyncio

import pytest

from evaluators.budget import Budget, BudgetSettings
from evaluators.call import Call, attempt
from evaluators.charging import Charging
from evaluators.evaluation import FailReason, SkipReason
from evaluators.facets import FacetAnswers
from evaluators.judges.base import JudgeError, JudgeReply, NotJudgedError, Usage
from evaluators.prices import Price, Unpriced
from tests.fakes import DispatchCounts, FakeClock, ScriptedJudge
from tests.judging import judging
from tests.samples import sample

PRICE = Price(input_usd=1.0, output_usd=10.0)
PAID = Usage(1_000, 100)
COST = 0.002


class Till:
    """A judge's charging, with a cap of a cent a day."""

    def __init__(self, price=PRICE):
        self.metrics = DispatchCounts()
        self.budget = Budget(BudgetSettings(usd_per_day=0.01), FakeClock())
        self.charging = Charging("gpt", price, self.budget, self.metrics)

    def charged(self, result):
        self.charging.charge(result)
        counts = self.metrics
        return (
            counts.count("judge_tokens", "gpt", "input"),
            round(counts.usd, 6),
            counts.count("judge_call_unpriced", "gpt", Unpriced.NO_TOKENS),
            counts.count("judge_call_unpriced", "gpt", Unpriced.NO_PRICE),
        )


@pytest.mark.parametrize(
    "result",
    [
        JudgeReply(FacetAnswers(), PAID),
        NotJudgedError(SkipReason.NO_CLAIMS, PAID),
        *(JudgeError(reason, usage=PAID) for reason in FailReason if reason is not FailReason.TIMEOUT),
    ],
    ids=str,
)
def test_reported_usage_is_paid_for_however_the_call_ended(result):
    assert Till().charged(result) == (1_000, COST, 0, 0)


@pytest.mark.parametrize("usage", [Usage(), PAID])
def test_what_a_call_that_timed_out_cost_in_all_is_not_known(usage):
    late = JudgeError(FailReason.TIMEOUT, usage=usage)
    assert Till().charged(late) == (usage.input_tokens, COST if usage.total else 0, 1, 0)


@pytest.mark.parametrize("reason", [FailReason.UNAVAILABLE, FailReason.RATE_LIMITED, FailReason.UNAUTHORIZED])
def test_a_call_that_reached_no_model_costs_nothing(reason):
    assert Till().charged(JudgeError(reason)) == (0, 0, 0, 0)


def test_a_sample_that_was_not_shown_to_the_model_costs_nothing():
    assert Till().charged(NotJudgedError(SkipReason.TOO_LONG)) == (0, 0, 0, 0)


def test_an_answer_that_tells_no_tokens_has_a_cost_that_is_not_known():
    assert Till().charged(JudgeReply(FacetAnswers())) == (0, 0, 1, 0)
    assert Till().charged(JudgeError(FailReason.MALFORMED)) == (0, 0, 1, 0)


def test_a_call_of_a_model_without_a_price_is_counted_as_such():
    assert Till(price=None).charged(JudgeReply(FacetAnswers(), PAID)) == (1_000, 0, 0, 1)


def test_a_judge_without_tokens_and_without_a_price_is_not_missed():
    assert Till(price=None).charged(JudgeReply(FacetAnswers())) == (0, 0, 0, 0)


def test_dollars_count_against_the_days_budget():
    till = Till()
    for _ in range(5):
        assert till.budget.take("shop")
        till.charging.charge(JudgeError(FailReason.REFUSED, usage=PAID))
    assert not till.budget.take("shop")


class TellsWhatItPaid(ScriptedJudge):
    """Says what its work has cost so far when it is cancelled."""

    async def ask(self, sample, facets):
        try:
            return await super().ask(sample, facets)
        except asyncio.CancelledError:
            raise JudgeError(FailReason.TIMEOUT, usage=PAID) from None


async def test_work_that_was_paid_for_before_the_deadline_is_told():
    judge = TellsWhatItPaid(60.0)
    late = await attempt(judge, Call(sample(), judge.facets, 0.0, print), timeout_s=0.01)
    assert (late.reason, late.usage) == (FailReason.TIMEOUT, PAID)


async def test_a_call_that_is_under_way_when_the_lane_stops_is_paid_for_and_has_no_result():
    async with judging(TellsWhatItPaid(60.0), price=PRICE) as running:
        running.submit(sample())
        await asyncio.sleep(0)
    assert running.metrics.usd == pytest.approx(COST)
    assert running.delivered == []
