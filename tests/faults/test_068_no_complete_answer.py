import pytest

from evaluators.evaluation import FailReason
from tests.fakes import completion
from tests.judging import judging_by_llm
from tests.samples import sample

GOOD = completion(
    '{"claims": [], "relevance": [{"chunk": "c1", "score": 1}, {"chunk": "c2", "score": 0}],'
    ' "answer": {"relevancy": 1, "abstained": false}}'
)


@pytest.mark.parametrize(
    ("reply", "reason", "calls"),
    [
        (completion(""), FailReason.MALFORMED, 2),
        (completion(None, refusal="I cannot help with that."), FailReason.REFUSED, 1),
        (completion('{"claims": [', finish_reason="length"), FailReason.TRUNCATED, 2),
        (completion("", finish_reason="content_filter"), FailReason.CONTENT_FILTER, 1),
    ],
)
async def test_it_fails_with_its_reason_after_one_retry_at_most_and_is_not_remembered(reply, reason, calls):
    async with judging_by_llm(*[reply] * calls, GOOD) as (stub, running):
        [first] = await running.judge(sample())
        assert first.result.reason is reason
        assert len(stub.requests) == calls
        assert running.metrics.count("judge_tokens", "openai", "input") == 900 * calls
        [second] = await running.judge(sample())
        assert second.result.answer_fit is not None
        assert not second.cached


async def test_a_reply_cut_by_its_limit_is_asked_for_again_with_twice_the_room():
    async with judging_by_llm(completion('{"cl', finish_reason="length"), GOOD) as (stub, running):
        [judgement] = await running.judge(sample())
    assert judgement.result.answer_fit is not None
    first, second = (request["max_tokens"] for request in stub.requests)
    assert second == 2 * first
