from tests.fakes import StubReply, completion
from tests.judging import judging_by_llm
from tests.samples import sample

GOOD = completion(
    '{"claims": [], "relevance": [{"chunk": "c1", "score": 1}, {"chunk": "c2", "score": 0}],'
    ' "answer": {"relevancy": 1, "abstained": false}}'
)


async def test_it_costs_one_call_at_once_and_later():
    async with judging_by_llm(StubReply(GOOD.body, delay_s=0.2)) as (stub, running):
        at_once = await running.judge(*(sample(f"{i:032x}") for i in range(20)))
        [later] = await running.judge(sample("f" * 32))
    assert len(stub.requests) == 1
    assert [judgement.cached for judgement in at_once] == [False] + [True] * 19
    assert later.cached
    assert {judgement.result for judgement in [*at_once, later]} == {later.result}
    assert sum(judgement.usage.input_tokens for judgement in at_once) == 900
