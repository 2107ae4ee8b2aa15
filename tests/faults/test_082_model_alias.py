import json

from tests.fakes import StubReply, completion
from tests.judging import judging_by_llm
from tests.samples import sample

VERDICT = (
    '{"claims": [], "relevance": [{"chunk": "c1", "score": 1}, {"chunk": "c2", "score": 0}],'
    ' "answer": {"relevancy": 1, "abstained": false}}'
)


def by(model):
    body = json.loads(completion(VERDICT).body)
    return StubReply(json.dumps({**body, "model": model}).encode())


async def test_a_result_names_the_model_that_answered_and_an_older_models_verdict_is_not_reused():
    async with judging_by_llm(by("m-2026-01"), by("m-2026-03")) as (stub, running):
        [first] = await running.judge(sample("1" * 32))
        [repeat] = await running.judge(sample("2" * 32))
        await running.judge(sample("3" * 32, answer="The alias points elsewhere by now."))
        [again] = await running.judge(sample("4" * 32))
    assert "m-2026-01" in first.identity
    assert repeat.cached
    assert not again.cached
    assert "m-2026-03" in again.identity
    assert len(stub.requests) == 3
