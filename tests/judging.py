"""Runs one judge behind a real dispatcher, as the monitor does."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from evaluators.cache import MemoryCache
from evaluators.clock import SystemClock
from evaluators.dispatcher import Dispatcher, JudgeLane, Judgement, LaneSettings
from evaluators.facets import ONLINE_FACETS, Facet
from evaluators.judges.base import Judge
from evaluators.judges.openai import OpenAIJudge, OpenAISettings
from evaluators.prices import Price
from evaluators.sample import RagSample
from tests.fakes import DispatchCounts, OpenAIStub

ALL = ONLINE_FACETS


class Judging:
    """`judge` waits for one sample's judgement; all judgements are kept in order of delivery."""

    def __init__(
        self,
        judge: Judge,
        *,
        cached: bool = True,
        facets: frozenset[Facet] = ALL,
        price: Price | None = None,
        **settings: Any,
    ) -> None:
        self.facets = facets & ALL or facets
        self.metrics = DispatchCounts()
        self.clock = SystemClock()
        self.delivered: list[Judgement] = []
        self.name = judge.identity.name
        lane = JudgeLane(judge, LaneSettings(**settings), cached=cached, price=price)
        self.dispatcher = Dispatcher(
            {self.name: lane}, MemoryCache(self.clock), self.delivered.append, self.metrics, self.clock
        )

    def submit(self, *samples: RagSample) -> None:
        for one in samples:
            self.dispatcher.submit(one, self.name, self.facets, self.clock.monotonic())

    async def judge(self, *samples: RagSample) -> list[Judgement]:
        """Submit and wait; the judgements of these samples in their order, by trace id."""
        self.submit(*samples)
        assert await self.dispatcher.drain(30) == 0
        by_trace = {judgement.sample.trace_id: judgement for judgement in self.delivered}
        return [by_trace[one.trace_id] for one in samples]


@contextlib.asynccontextmanager
async def judging(judge: Judge, **settings: Any) -> AsyncIterator[Judging]:
    """A started dispatcher, stopped at the end."""
    running = Judging(judge, **settings)
    await running.dispatcher.start()
    try:
        yield running
    finally:
        await running.dispatcher.stop()


@contextlib.asynccontextmanager
async def judging_by_llm(
    *script: Any, judge: dict[str, Any] | None = None, **settings: Any
) -> AsyncIterator[tuple[OpenAIStub, Judging]]:
    """An OpenAI-compatible judge on a stub server that answers as scripted."""
    async with OpenAIStub(*script) as stub:
        llm = OpenAIJudge(
            OpenAISettings(**{"base_url": stub.base_url, "model": "m", "api_key_env": None, **(judge or {})})
        )
        async with judging(llm, **settings) as running:
            yield stub, running
