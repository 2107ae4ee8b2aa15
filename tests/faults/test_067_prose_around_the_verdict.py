import pytest

from evaluators.evaluation import FailReason
from tests.fakes import completion
from tests.judging import judging_by_llm
from tests.samples import sample


def verdict(relevancy):
    return (
        '{"claims": [], "relevance": [{"chunk": "c1", "score": 1}, {"chunk": "c2", "score": 0}],'
        f' "answer": {{"relevancy": {relevancy}, "abstained": false}}}}'
    )


async def judged(text):
    async with judging_by_llm(completion(text)) as (_, running):
        [judgement] = await running.judge(sample())
    return judgement.result


@pytest.mark.parametrize(
    "text",
    [
        verdict(0.7),
        f"\n  {verdict(0.7)}\n",
        f"```json\n{verdict(0.7)}\n```",
        f"Sure! Here is my verdict:\n\n```\n{verdict(0.7)}\n```\nLet me know.",
        f'<think>The answer says {{90}} days, a quote " opens.</think>{verdict(0.7)}',
        f"First I thought {verdict(0.2)} but on reflection: {verdict(0.7)}",
        f"{verdict(0.2)}\n{verdict(0.7)}",
    ],
)
async def test_the_last_object_is_the_verdict_whatever_is_around_it(text):
    assert (await judged(text)).answer_fit.relevancy == 0.7


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{verdict(0.7)} {verdict(8)}", FailReason.INVALID_VERDICT),
        (f"{verdict(0.7)} {verdict('NaN')}", FailReason.INVALID_VERDICT),
        (f"{verdict(0.7)} {{}}", FailReason.INVALID_VERDICT),
        (f"{verdict(0.7)} {{not json}}", FailReason.MALFORMED),
        (f"{verdict(0.7)} {verdict(0.8)[:-3]}", FailReason.MALFORMED),
        ("The answer is faithful, score 1.0.", FailReason.MALFORMED),
    ],
)
async def test_an_unusable_last_object_is_a_failure_and_no_earlier_one_takes_its_place(text, reason):
    assert (await judged(text)).reason is reason
