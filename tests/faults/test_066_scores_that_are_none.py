import pytest

from evaluators.assess import assess
from evaluators.evaluation import Failed, FailReason
from evaluators.metrics import ONLINE_METRICS
from tests.fakes import completion
from tests.judging import judging_by_llm
from tests.samples import sample

NO_SCORES = ["NaN", "Infinity", "-Infinity", "1e999", "null", '"0.8"', "true", "8", "-0.1", "1.0000001", "[]", '""']
VERDICT = """{"claims": [], "relevance": [{"chunk": "c1", "score": %s}, {"chunk": "c2", "score": 0.5}],
"answer": {"relevancy": %s, "abstained": %s}}"""


async def judged(text):
    async with judging_by_llm(completion(text)) as (_, running):
        [judgement] = await running.judge(sample())
    return judgement


@pytest.mark.parametrize("score", NO_SCORES)
@pytest.mark.parametrize("place", ["relevance", "relevancy"])
async def test_what_is_no_score_is_an_invalid_verdict_and_in_no_metric(score, place):
    numbers = (score, "0.5") if place == "relevance" else ("0.5", score)
    judgement = await judged(VERDICT % (*numbers, "false"))
    assert isinstance(judgement.result, Failed)
    assert judgement.result.reason is FailReason.INVALID_VERDICT
    assessment = assess(sample(), ONLINE_METRICS.values(), judgement.result, judge="llm", identity=judgement.identity)
    assert {evaluation.outcome for evaluation in assessment.evaluations} == {judgement.result}


@pytest.mark.parametrize("abstained", ["null", '"false"', "0", "1.0"])
async def test_what_is_no_truth_value_is_an_invalid_verdict(abstained):
    judgement = await judged(VERDICT % ("0.5", "0.5", abstained))
    assert judgement.result.reason is FailReason.INVALID_VERDICT


async def test_whole_numbers_in_range_are_scores():
    judgement = await judged(VERDICT % ("1", "0", "false"))
    assert judgement.result.chunk_relevance.scores == (1.0, 0.5)
    assert judgement.result.answer_fit.relevancy == 0.0
