import asyncio

import pytest

from evaluators.evaluation import Failed, FailReason
from evaluators.facets import FacetAnswers
from tests.fakes import ScriptedJudge
from tests.judging import judging
from tests.samples import sample


class OddError(Exception):
    def __str__(self):
        raise RuntimeError("even its message fails")


@pytest.mark.parametrize(
    "error",
    [
        ValueError("text of the trace"),
        KeyError("answer"),
        RecursionError(),
        MemoryError(),
        AssertionError(),
        StopAsyncIteration(),
        asyncio.CancelledError(),
        asyncio.InvalidStateError(),
        OddError(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_whatever_a_judge_raises_fails_one_sample_and_the_others_go_on(error):
    async with judging(ScriptedJudge(0.0, error, 0.0), concurrency=1) as running:
        first, failed, last = await running.judge(*(sample(f"{i:032x}", answer=f"{i}") for i in range(3)))
    assert isinstance(failed.result, Failed)
    assert failed.result.reason is FailReason.ERROR
    assert "text of the trace" not in failed.result.detail
    assert isinstance(first.result, FacetAnswers)
    assert isinstance(last.result, FacetAnswers)
