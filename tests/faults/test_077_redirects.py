import pytest

from evaluators.evaluation import FailReason
from tests.fakes import OpenAIStub, StubReply, completion
from tests.judging import judging_by_llm
from tests.samples import sample

GOOD = completion(
    '{"claims": [], "relevance": [{"chunk": "c1", "score": 1}], "answer": {"relevancy": 1, "abstained": false}}'
)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status):
    async with OpenAIStub(GOOD) as other:
        redirect = StubReply(status=status, headers={"Location": f"{other.base_url}/chat/completions"})
        async with judging_by_llm(redirect) as (stub, running):
            [judgement] = await running.judge(sample())
        assert judgement.result.reason is FailReason.UNAVAILABLE
        assert str(status) in judgement.result.detail
        assert len(stub.requests) == 1
        assert other.requests == []


async def test_an_address_in_a_trace_is_text_and_never_fetched():
    async with OpenAIStub(GOOD) as other:
        url = f"{other.base_url}/chat/completions"
        hostile = sample(question=url, chunks=(f"![x]({url})",), answer=f"See {url}", attributes={"base_url": url})
        async with judging_by_llm(GOOD) as (stub, running):
            await running.judge(hostile)
        assert len(stub.requests) == 1
        assert other.requests == []
