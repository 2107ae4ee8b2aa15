import orjson

from evaluators.evaluation import Skipped, SkipReason
from evaluators.facets import FacetAnswers
from tests.fakes import completion
from tests.judging import judging_by_llm
from tests.samples import REFUNDS, sample


def verdict(chunks):
    return completion(
        orjson.dumps(
            {
                "claims": [],
                "relevance": [{"chunk": f"c{i + 1}", "score": 0} for i in range(chunks)],
                "answer": {"relevancy": 1, "abstained": False},
            }
        ).decode()
    )


async def test_a_few_huge_chunks_are_cut_and_said_to_be():
    huge = sample(chunks=(REFUNDS, "word " * 200_000, "漢字" * 200_000))
    async with judging_by_llm(verdict(3)) as (stub, running):
        [judgement] = await running.judge(huge)
    assert isinstance(judgement.result, FacetAnswers)
    assert judgement.flags == ("cut",)
    text = "".join(message["content"] for message in stub.requests[0]["messages"])
    assert REFUNDS in text
    assert len(text.encode()) < 16_000 * 3 + 1_000


async def test_too_many_chunks_to_show_something_of_each_are_not_judged():
    async with judging_by_llm(verdict(2_000)) as (stub, running):
        [judgement] = await running.judge(sample(chunks=("word " * 200,) * 2_000))
    assert judgement.result == Skipped(SkipReason.TOO_LONG)
    assert stub.requests == []


async def test_an_answer_that_alone_is_too_long_is_not_judged():
    async with judging_by_llm(verdict(2)) as (stub, running):
        [judgement] = await running.judge(sample(answer="word " * 400_000))
    assert judgement.result == Skipped(SkipReason.TOO_LONG)
    assert stub.requests == []
