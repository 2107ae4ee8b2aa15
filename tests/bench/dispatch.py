"""CPU that a verdict costs the monitor's own process, besides the judge: `python -m tests.bench.dispatch`.

LLM judge: 512 calls in flight against a local server of OpenAI's API, in a process of its own, that takes 500 ms, and
what a bare aiohttp POST costs in the same run. Local judge: one that computes nothing, in a worker process. All figures
are CPU time, not wall time, in medians of several rounds.
"""

import asyncio
import gc
import multiprocessing
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

import aiohttp
import orjson
import uvloop

from evaluators.cache import Cache, CacheSettings
from evaluators.cache_sqlite import open_cache
from evaluators.clock import SystemClock
from evaluators.dispatcher import Dispatcher, JudgeLane, Judgement, LaneSettings
from evaluators.facets import (
    ONLINE_FACETS,
    AnswerFit,
    ChunkRelevance,
    ClaimSupport,
    ClaimVerdict,
    Facet,
    FacetAnswers,
    Support,
)
from evaluators.judges.base import Judge, JudgeIdentity, JudgeReply
from evaluators.judges.openai import OpenAIJudge, OpenAISettings
from evaluators.pool import PooledJudge
from evaluators.sample import RagSample
from tests.fakes import DispatchCounts, OpenAIStub, completion
from tests.samples import sample

IN_FLIGHT = 512
CALLS = 2_048
ROUNDS = 3
LATENCY_S = 0.5
FILLER = "The warranty covers the heating element for two years after the day of purchase. "
CHUNKS = 5
ALL = ONLINE_FACETS


class NothingJudge:
    """Four claims, five scores, no thought."""

    identity = JudgeIdentity("nothing", "local", "nothing", "1")
    facets = ALL
    remote = False

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        claim = ClaimVerdict(FILLER, Support.SUPPORTED, 0, FILLER, 1.0)
        return JudgeReply(
            FacetAnswers(ClaimSupport((claim,) * 4), ChunkRelevance((0.5,) * CHUNKS), AnswerFit(1.0, False))
        )

    async def aclose(self) -> None: ...


def main() -> None:
    """Print one line per case."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    base_url = ours.recv()
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_llm(base_url))
            runner.run(_local())
    finally:
        server.terminate()
        server.join()


async def _llm(base_url: str) -> None:
    floor, memory, sqlite = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            floor.append(await _measure(lambda count: _bare_posts(base_url, count)))
            memory.append(await _llm_round(base_url, None))
            sqlite.append(await _llm_round(base_url, Path(folder) / f"{number}.db"))
    print(f"bare aiohttp POST of a prepared body   {median(floor):6.3f} ms CPU a call, {IN_FLIGHT} in flight")
    for name, spent in (("memory", memory), ("SQLite", sqlite)):
        ratio = median(spent) / median(floor)
        print(
            f"LLM judge, cache in {name:7}            {median(spent):6.3f} ms CPU a call, {ratio:.2f} of the bare POST"
        )


async def _llm_round(base_url: str, path: Path | None) -> float:
    judge = OpenAIJudge(OpenAISettings(base_url=base_url, model="stub", api_key_env=None))
    cache = open_cache(CacheSettings(path=path), SystemClock(), DispatchCounts())
    return await _through_dispatcher(judge, cache, IN_FLIGHT, cached=True)


async def _local() -> None:
    # By its importable name: a worker does not run the main module.
    from tests.bench import dispatch

    cache = open_cache(CacheSettings(), SystemClock(), DispatchCounts())
    pools = [PooledJudge(dispatch.NothingJudge(), workers=1) for _ in range(ROUNDS)]
    spent = [await _through_dispatcher(pool, cache, 64, cached=False) for pool in pools]
    print(f"local judge in a worker process        {median(spent):6.3f} ms CPU a sample in this process")


async def _through_dispatcher(judge: Judge, cache: Cache, concurrency: int, *, cached: bool) -> float:
    outcomes: Counter[str] = Counter()

    def deliver(judgement: Judgement) -> None:
        outcomes["answered" if isinstance(judgement.result, FacetAnswers) else str(judgement.result)] += 1

    settings = LaneSettings(concurrency=concurrency, queue_size=100_000)
    lane = JudgeLane(judge, settings, cached=cached)
    dispatcher = Dispatcher({"it": lane}, cache, deliver, DispatchCounts(), SystemClock())
    await dispatcher.start()
    samples = [_sample(number) for number in range(IN_FLIGHT + CALLS)]
    submitted = 0

    async def judge_some(count: int) -> None:
        nonlocal submitted
        for one in samples[submitted : submitted + count]:
            dispatcher.submit(one, "it", ALL, time.monotonic())
        submitted += count
        await dispatcher.drain(300)

    spent = await _measure(judge_some)
    await dispatcher.stop()
    cache.close()
    assert outcomes == {"answered": submitted}, outcomes
    return spent


async def _measure(work: Callable[[int], Awaitable[None]]) -> float:
    """Milliseconds of this process's CPU for one of CALLS, after a warm-up."""
    await work(IN_FLIGHT)
    gc.collect()
    gc.freeze()
    before = time.process_time()
    await work(CALLS)
    return (time.process_time() - before) / CALLS * 1e3


async def _bare_posts(base_url: str, count: int) -> None:
    body = orjson.dumps({"model": "stub", "messages": [{"role": "user", "content": FILLER * 80}]})
    left = iter(range(count))

    async def post_some(session: aiohttp.ClientSession) -> None:
        for _ in left:
            async with session.post(f"{base_url}/chat/completions", data=body) as response:
                await response.read()

    connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
    async with aiohttp.ClientSession(connector=connector, headers={"Content-Type": "application/json"}) as session:
        await asyncio.gather(*(post_some(session) for _ in range(IN_FLIGHT)))


def _sample(number: int) -> RagSample:
    chunks = tuple(f"{number} {FILLER * 12}"[:1024] for _ in range(CHUNKS))
    return sample(f"{number:032x}", chunks=chunks, answer=f"{number} " + FILLER * 4)


def _verdict() -> str:
    claim = {"claim": FILLER, "support": "supported", "chunk": "c1", "quote": FILLER.strip(), "conflict": None}
    relevance = [{"chunk": f"c{i}", "score": 0.5} for i in range(1, CHUNKS + 1)]
    return orjson.dumps(
        {"claims": [claim] * 4, "relevance": relevance, "answer": {"relevancy": 1.0, "abstained": False}}
    ).decode()


def _serve(ready: Connection) -> None:
    async def serve() -> None:
        reply = completion(_verdict())
        async with OpenAIStub(type(reply)(reply.body, delay_s=LATENCY_S), keep=False) as stub:
            ready.send(stub.base_url)
            await asyncio.Event().wait()

    uvloop.run(serve())


if __name__ == "__main__":
    main()
