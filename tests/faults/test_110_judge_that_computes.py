import asyncio
import time

from evaluators.evaluation import FailReason
from evaluators.pool import PooledJudge
from tests.fakes import ComputingJudge
from tests.judging import judging
from tests.samples import sample


async def test_the_event_loop_turns_while_a_judge_computes():
    async with judging(PooledJudge(ComputingJudge(), workers=1, timeout_s=1.0), cached=False) as running:
        await running.judge(sample("1" * 32, answer="fine"))
        running.submit(sample("2" * 32, answer="hang"))
        lags = []
        while len(running.delivered) < 2:
            before = time.monotonic()
            await asyncio.sleep(0.01)
            lags.append(time.monotonic() - before - 0.01)
    assert running.delivered[1].result.reason is FailReason.TIMEOUT
    assert len(lags) > 20
    assert sorted(lags)[len(lags) * 95 // 100] < 0.1
