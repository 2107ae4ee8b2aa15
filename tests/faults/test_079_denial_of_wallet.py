from collections import Counter

from evaluators.budget import BudgetSettings
from evaluators.evaluation import SkipReason
from evaluators.facets import FacetAnswers
from evaluators.prices import Price
from tests.fakes import ScriptedJudge
from tests.judging import judging
from tests.samples import sample


def flood(count, service="shop"):
    return [sample(f"{i:032x}", service=service, answer=f"{service} {i}") for i in range(count)]


def kinds(judgements):
    return Counter(
        "judged" if isinstance(judgement.result, FacetAnswers) else judgement.result.reason for judgement in judgements
    )


async def test_a_flood_costs_no_more_than_its_budget_and_the_rest_is_skipped_for_it():
    async with judging(ScriptedJudge(0.0), budget=BudgetSettings(calls_per_day=20)) as running:
        judgements = await running.judge(*flood(500))
    assert kinds(judgements) == {"judged": 20, SkipReason.BUDGET: 480}


async def test_tokens_count_too():
    async with judging(ScriptedJudge(0.0), concurrency=1, budget=BudgetSettings(tokens_per_day=1_200)) as running:
        judgements = await running.judge(*flood(50))
    assert kinds(judgements) == {"judged": 10, SkipReason.BUDGET: 40}


async def test_dollars_count_too():
    price = Price(input_usd=10.0, output_usd=50.0)  # 0.002 a call of 100 and 20 tokens
    budget = BudgetSettings(usd_per_day=0.019)
    async with judging(ScriptedJudge(0.0), price=price, concurrency=1, budget=budget) as running:
        judgements = await running.judge(*flood(50))
    assert kinds(judgements) == {"judged": 10, SkipReason.BUDGET: 40}


async def test_one_services_flood_leaves_the_others_their_share():
    async with judging(ScriptedJudge(0.0), budget=BudgetSettings(calls_per_minute_and_service=10)) as running:
        noisy = await running.judge(*flood(300, "noisy"))
        quiet = await running.judge(*flood(5, "quiet"))
    assert kinds(noisy)["judged"] in (10, 20)  # a minute may end in between
    assert kinds(quiet) == {"judged": 5}


async def test_what_the_cache_knows_costs_no_budget():
    async with judging(ScriptedJudge(0.0), budget=BudgetSettings(calls_per_day=1)) as running:
        for number in range(50):
            [judgement] = await running.judge(sample(f"{number:032x}"))
            assert isinstance(judgement.result, FacetAnswers)
