import asyncio
import contextlib
import signal
import subprocess
import sys

import psutil
import pytest
import uvloop

from evaluators.errors import PermanentError
from evaluators.evaluation import FailReason, SkipReason
from evaluators.facets import ONLINE_FACETS
from evaluators.judges.base import JudgeError, NotJudgedError
from evaluators.pool import PooledJudge
from tests.fakes import ComputingJudge
from tests.samples import sample

ALL = ONLINE_FACETS


@contextlib.asynccontextmanager
async def pool(**settings):
    judge = PooledJudge(ComputingJudge(), **{"workers": 1, **settings})
    try:
        yield judge
    finally:
        await judge.aclose()


def ask(judge, answer="fine"):
    return asyncio.ensure_future(judge.ask(sample(answer=answer), ALL))


def workers():
    return [p for p in psutil.Process().children(recursive=True) if "evaluators.worker" in " ".join(p.cmdline())]


async def failure(judge, answer):
    with pytest.raises(JudgeError) as failed:
        await ask(judge, answer)
    return failed.value.reason


async def test_it_judges_in_another_process_that_starts_when_there_is_work():
    async with pool() as judge:
        assert workers() == []
        reply = await ask(judge)
        assert [str(worker.pid) for worker in workers()] == [reply.model]
        assert reply.answers.chunk_relevance.scores == (1.0, 1.0)
        assert reply.flags == ("cut",)
    assert workers() == []


def test_it_works_on_uvloop_too():
    async def run():
        async with pool() as judge:
            return await ask(judge)

    assert uvloop.run(run()).answers.answer_fit


async def test_what_waits_is_shared_among_the_workers():
    async with pool(workers=2) as judge:
        replies = await asyncio.gather(*(ask(judge) for _ in range(200)))
    assert len({reply.model for reply in replies}) == 2


async def test_a_failing_sample_is_a_failure_of_its_own():
    async with pool() as judge:
        results = await asyncio.gather(
            *(ask(judge, answer) for answer in ("fine", "raise", "refuse", "decline", "wait", "fine")),
            return_exceptions=True,
        )
    assert results[0] == results[5]
    assert (results[1].reason, results[1].detail) == (FailReason.ERROR, "ValueError")
    assert results[2].reason is FailReason.REFUSED
    assert isinstance(results[3], NotJudgedError)
    assert results[3].reason is SkipReason.TOO_LONG
    assert (results[4].reason, results[4].detail) == (FailReason.ERROR, "TypeError")


async def test_a_sample_that_kills_its_worker_fails_alone_and_the_others_are_judged():
    async with pool() as judge:
        results = await asyncio.gather(
            *(ask(judge, answer) for answer in ("fine", "die", "fine", "fine")), return_exceptions=True
        )
        assert (await ask(judge)).answers
    assert results[1].reason is FailReason.ERROR
    assert all(results[i].answers for i in (0, 2, 3))


async def test_a_sample_whose_worker_died_once_is_tried_again(tmp_path):
    async with pool() as judge:
        assert (await ask(judge, f"die-once {tmp_path / 'died'}")).answers


async def test_a_sample_that_never_ends_is_ended_and_the_worker_replaced():
    async with pool(timeout_s=0.5) as judge:
        await ask(judge)
        assert await failure(judge, "hang") is FailReason.TIMEOUT
        assert (await ask(judge)).answers


async def test_a_worker_killed_from_outside_is_replaced():
    async with pool() as judge:
        first = await ask(judge)
        psutil.Process(int(first.model)).kill()
        second = await ask(judge)
    assert second.model != first.model


async def test_signals_for_the_group_do_not_end_a_worker():
    async with pool() as judge:
        first = await ask(judge)
        for number in (signal.SIGINT, signal.SIGTERM):
            psutil.Process(int(first.model)).send_signal(number)
        assert (await ask(judge)).model == first.model


async def test_what_a_judge_prints_does_not_disturb():
    async with pool() as judge:
        assert (await ask(judge, "print")).answers


async def test_text_that_is_no_valid_unicode_is_judged():
    async with pool() as judge:
        assert (await ask(judge, "\ud800 and \x00")).answers


async def test_a_sample_given_up_meanwhile_is_not_waited_for():
    async with pool() as judge:
        given_up = ask(judge)
        given_up.cancel()
        assert (await ask(judge)).answers
    assert given_up.cancelled()


async def test_closing_fails_what_is_under_way_and_may_be_done_twice():
    async with pool() as judge:
        await ask(judge)
        under_way = [ask(judge, "hang"), ask(judge), ask(judge)]
        await asyncio.sleep(0.1)
        await judge.aclose()
        results = await asyncio.gather(*under_way, return_exceptions=True)
    assert {result.reason for result in results} == {FailReason.UNAVAILABLE}
    assert workers() == []


async def test_a_worker_that_cannot_start_makes_the_judge_unavailable():
    class Local(ComputingJudge):
        def __reduce__(self):
            return (exec, ("raise ImportError",))

    judge = PooledJudge(Local(), workers=1, batch=2)
    results = await asyncio.gather(*(ask(judge) for _ in range(10)), return_exceptions=True)
    assert {(result.reason, result.retryable) for result in results} == {(FailReason.UNAVAILABLE, True)}
    await judge.aclose()


def test_workers_end_with_their_parent_however_it_ends():
    program = """
import asyncio
from tests.evaluators.test_pool import ask, pool

async def main():
    async with pool() as judge:
        print((await ask(judge)).model, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    worker = psutil.Process(int(parent.stdout.readline()))
    assert worker.is_running()
    parent.kill()
    parent.communicate()
    psutil.wait_procs([worker], timeout=10)
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE


def test_a_judge_of_the_main_script_is_refused_since_workers_do_not_run_it():
    class Scripted(ComputingJudge):
        pass

    Scripted.__module__ = "__main__"
    with pytest.raises(PermanentError, match="module"):
        PooledJudge(Scripted())
