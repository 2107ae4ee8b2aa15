import time

import psutil
import pytest

from evaluators.evaluation import FailReason
from evaluators.facets import FacetAnswers
from tests.fakes import StubReply, completion
from tests.judging import judging_by_llm
from tests.samples import sample

GOOD = completion(
    '{"claims": [], "relevance": [{"chunk": "c1", "score": 1}, {"chunk": "c2", "score": 0}],'
    ' "answer": {"relevancy": 1, "abstained": false}}'
)
MIB = 1 << 20

CASES = {
    "silence": (StubReply(delay_s=60), FailReason.TIMEOUT),
    "a slow drip": (StubReply(b" ", drip_s=0.05), FailReason.TIMEOUT),
    "an endless stream": (StubReply(b"x" * 65_536, endless=True), FailReason.MALFORMED),
    "a large body": (StubReply(b"x" * (64 * MIB)), FailReason.MALFORMED),
}


@pytest.mark.parametrize("case", CASES)
async def test_it_is_given_up_in_time_without_growing_and_frees_its_place(case):
    reply, reason = CASES[case]
    settings = {"concurrency": 1, "max_attempts": 1, "judge": {"timeout_s": 1.0}}
    async with judging_by_llm(reply, GOOD, **settings) as (_, running):
        before, started = psutil.Process().memory_info().rss, time.monotonic()
        [failed] = await running.judge(sample("1" * 32))
        assert failed.result.reason is reason
        assert time.monotonic() - started < 5
        if case != "a large body":  # whose server is in this process, too
            assert psutil.Process().memory_info().rss - before < 32 * MIB
        [judged] = await running.judge(sample("2" * 32, answer="Another."))
        assert isinstance(judged.result, FacetAnswers)
