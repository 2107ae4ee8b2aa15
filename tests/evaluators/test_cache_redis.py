"""The shared cache on a real Redis: one of several workers asks, and without Redis all go on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from evaluators.cache import MemoryCache
from evaluators.cache_redis import RedisCache
from evaluators.clock import SystemClock
from evaluators.dispatcher import Dispatcher, JudgeLane, Judgement, LaneSettings
from evaluators.facets import ONLINE_FACETS, FacetAnswers
from evaluators.judges.base import JudgeReply, Usage
from evaluators.shared_cache import RedisSettings
from tests.fakes import DispatchCounts, ScriptedJudge
from tests.samples import good_answers, sample
from tests.servers import free_port, redis_server, until

FACETS = ONLINE_FACETS
REPLY = JudgeReply(good_answers(sample(), FACETS), Usage(10, 5), "model-1")
PATIENCE_S = 5.0


class Worker:
    """A dispatcher with a judge of its own, as each process has."""

    def __init__(self, port: int, *steps: object, plan: str = "combined", **settings: float) -> None:
        self.metrics = DispatchCounts()
        self.judge = ScriptedJudge(*steps)
        self.delivered: list[Judgement] = []
        self.shared = cache(port, self.metrics, **settings)
        clock = SystemClock()
        lane = JudgeLane(self.judge, LaneSettings(), plan=plan)  # type: ignore[arg-type]
        self.dispatcher = Dispatcher(
            {"scripted": lane}, MemoryCache(clock), self.delivered.append, self.metrics, clock, shared=self.shared
        )

    def submit(self, number: int = 0) -> None:
        one = sample(f"{number:032x}", answer=f"Answer {number}.")
        self.dispatcher.submit(one, "scripted", FACETS, 0.0)

    async def judged(self, number: int = 0) -> Judgement:
        self.submit(number)
        assert await self.dispatcher.drain(15) == 0
        return self.delivered[-1]


def cache(port: int, metrics: DispatchCounts | None = None, ttl_s: float = 3600.0, **settings: float) -> RedisCache:
    given = RedisSettings(url=f"redis://127.0.0.1:{port}/0", **settings)  # type: ignore[arg-type]
    return RedisCache(given, ttl_s, SystemClock(), metrics or DispatchCounts())


@asynccontextmanager
async def workers(folder: Path, count: int, *steps: object, **rest: object) -> AsyncIterator[list[Worker]]:
    async with redis_server(folder) as port:
        all_of_them = [Worker(port, *steps, **rest) for _ in range(count)]  # type: ignore[arg-type]
        for worker in all_of_them:
            await worker.dispatcher.start()
        try:
            yield all_of_them
        finally:
            for worker in all_of_them:
                await worker.dispatcher.stop()
                await worker.shared.aclose()


async def test_a_verdict_of_one_worker_is_free_for_the_others(tmp_path: Path) -> None:
    async with workers(tmp_path, 2, 0.0) as (one, two):
        await one.judged()
        await until(lambda: not one.shared.is_writing)
        judgement = await two.judged()
        assert judgement.result == REPLY.answers
        assert (judgement.cached, judgement.usage) == (True, Usage())
        assert (len(one.judge.asked), len(two.judge.asked)) == (1, 0)
        assert two.metrics.count("cache_request", "shared_hit") == 1


@pytest.mark.parametrize("plan", ["combined", "separate"])
async def test_080_workers_that_ask_the_same_at_once_pay_for_it_once(tmp_path: Path, plan: str) -> None:
    async with workers(tmp_path, 4, 0.3, plan=plan) as several:
        judgements = await asyncio.gather(*(worker.judged() for worker in several))
        assert {judgement.result for judgement in judgements} == {REPLY.answers}
        calls = [facets for worker in several for _, facets in worker.judge.asked]
        assert len(calls) == len(set(calls))


async def test_a_failed_call_passes_the_lease_to_whoever_waits(tmp_path: Path) -> None:
    async with redis_server(tmp_path) as port:
        one, two, three = cache(port), cache(port), cache(port)
        assert await one.find([b"key"], PATIENCE_S) is None
        waiting = asyncio.create_task(two.find([b"key"], PATIENCE_S))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        one.finish([b"key"], {})
        assert await waiting is None
        third = asyncio.create_task(three.find([b"key"], PATIENCE_S))
        await asyncio.sleep(0.2)
        assert not third.done()
        two.finish([b"key"], {b"key": REPLY})
        assert await third == [REPLY]
        for one_of_them in (one, two, three):
            await one_of_them.aclose()


async def test_the_lease_of_a_dead_worker_expires_and_a_living_one_renews_it(tmp_path: Path) -> None:
    async with redis_server(tmp_path) as port:
        dead, living, other = (cache(port, lease_s=1) for _ in range(3))
        assert await dead.find([b"dead"], PATIENCE_S) is None
        dead._renewing.cancel()  # type: ignore[union-attr]
        assert await living.find([b"living"], PATIENCE_S) is None
        started = asyncio.get_running_loop().time()
        assert await other.find([b"dead"], PATIENCE_S) is None
        assert 0.3 < asyncio.get_running_loop().time() - started < PATIENCE_S
        waiting = asyncio.create_task(other.find([b"living"], PATIENCE_S))
        await asyncio.sleep(2.0)
        assert not waiting.done()
        living.finish([b"living"], {b"living": REPLY})
        assert await waiting == [REPLY]
        for one in (dead, living, other):
            await one.aclose()


async def test_entries_expire(tmp_path: Path) -> None:
    async with redis_server(tmp_path) as port:
        one = cache(port, ttl_s=0.2)
        one.finish([b"key"], {b"key": REPLY})
        await until(lambda: not one.is_writing)
        assert await one.find([b"key"], 0) == [REPLY]
        await asyncio.sleep(0.3)
        assert await one.find([b"key"], 0) is None
        await one.aclose()


async def test_what_is_no_reply_is_asked_for_anew(tmp_path: Path) -> None:
    async with redis_server(tmp_path) as port:
        client = Redis(port=port)
        await client.set(b"groundwatch:key", b"{}")
        await client.aclose()
        one = cache(port)
        assert await one.find([b"key"], 0) is None
        one.finish([b"key"], {b"key": REPLY})
        await until(lambda: not one.is_writing)
        assert await one.find([b"key"], 0) == [REPLY]
        await one.aclose()


async def test_without_redis_every_worker_asks_for_itself_says_so_and_recovers(tmp_path: Path) -> None:
    port = free_port()
    worker = Worker(port, 0.0, retry_s=0.3, timeout_s=0.3)
    await worker.dispatcher.start()
    assert (await worker.judged()).result == REPLY.answers
    assert worker.shared.degraded == "Redis: ConnectionError"
    assert worker.metrics.count("cache_request", "error") == 1
    async with redis_server(tmp_path, port):
        await asyncio.sleep(0.4)
        other = cache(port)
        assert await worker.shared.find([b"key"], 0) is None
        assert worker.shared.degraded is None
        await other.aclose()
    await worker.dispatcher.stop()
    await worker.shared.aclose()


async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


async def test_replies_that_redis_does_not_take_are_counted_as_dropped_each_by_itself() -> None:
    server, metrics = await asyncio.start_server(hang, "127.0.0.1", 0), DispatchCounts()
    shared = cache(server.sockets[0].getsockname()[1], metrics, timeout_s=0.2)
    for key in (b"one", b"two", b"three"):
        shared.finish([key], {key: REPLY})
    shared.finish([b"failed"], {})
    await until(lambda: not shared.is_writing)
    assert (metrics.count("cache_request", "error"), metrics.count("cache_request", "write_dropped")) == (1, 3)
    await shared.aclose()
    server.close()


async def test_a_redis_that_hangs_costs_a_few_timeouts_and_no_verdict() -> None:
    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    worker = Worker(server.sockets[0].getsockname()[1], 0.0, timeout_s=0.2, retry_s=60)
    await worker.dispatcher.start()
    started = asyncio.get_running_loop().time()
    for number in range(20):
        assert isinstance((await worker.judged(number)).result, FacetAnswers)
    assert asyncio.get_running_loop().time() - started < 3.0
    assert worker.shared.degraded
    await worker.dispatcher.stop()
    await worker.shared.aclose()
    server.close()


async def test_a_slow_answer_is_no_outage(tmp_path: Path) -> None:
    async with redis_server(tmp_path) as port:
        worker, client = Worker(port, 0.0, timeout_s=0.2), Redis(port=port)
        await worker.dispatcher.start()
        await worker.judged(0)
        sleeping = asyncio.create_task(client.execute_command("DEBUG", "SLEEP", "0.5"))
        await asyncio.sleep(0.1)
        await worker.judged(1)
        assert worker.shared.degraded is None
        await sleeping
        await worker.judged(2)
        await until(lambda: not worker.shared.is_writing)
        assert worker.metrics.count("cache_request", "write_dropped") <= 1, "the one that was written meanwhile"
        await worker.dispatcher.stop()
        await worker.shared.aclose()
        await client.aclose()


async def test_more_questions_at_once_than_connections_wait_for_one(tmp_path: Path) -> None:
    async with workers(tmp_path, 1, 0.0) as (worker,):
        for number in range(300):
            worker.submit(number)
        assert await worker.dispatcher.drain(15) == 0
        assert worker.metrics.count("cache_request", "error") == 0


async def test_closing_lets_go_of_leases(tmp_path: Path) -> None:
    async with redis_server(tmp_path) as port:
        one, two = cache(port), cache(port)
        assert await one.find([b"key"], 0) is None
        await one.aclose()
        await one.aclose()
        client = Redis(port=port)
        assert await client.keys() == []
        await client.aclose()
        await two.aclose()


@pytest.mark.parametrize("given", [{}, {"url": "http://x"}, {"url": "redis://x", "url_env": "X"}])
def test_a_wrong_setting_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="url"):
        RedisSettings(**given)  # type: ignore[arg-type]


def test_the_password_in_the_url_never_shows() -> None:
    assert "hush" not in repr(RedisSettings(url="redis://:hush@127.0.0.1/0"))  # type: ignore[arg-type]


async def test_a_reply_is_not_kept_waiting_by_those_who_ask(tmp_path: Path) -> None:
    async with redis_server(tmp_path) as port:
        one = cache(port)
        asking = [asyncio.create_task(one.find([b"key %d" % number], 0)) for number in range(1_000)]
        await asyncio.sleep(0)
        one.finish([b"key"], {b"key": REPLY})
        await until(lambda: not one.is_writing, every_s=0.001)
        assert sum(task.done() for task in asking) < 500
        await asyncio.gather(*asking)
        await one.aclose()
