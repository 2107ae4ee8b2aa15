"""One worker of a consumer group in this process: the real receiver and pipeline, and a judge that obeys the test."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from alerts.exposition import Metrics
from alerts.store import VerdictStore
from collector.assembler import Assembler, AssemblySettings
from collector.codec import Codec
from collector.conventions.reader import TraceReader
from collector.log_events import LogEvents
from collector.pipeline import Pipeline
from collector.receivers.kafka import KafkaReceiver
from collector.receivers.kafka_metrics import KafkaMetrics
from collector.receivers.kafka_settings import KafkaReceiverSettings
from collector.route import Route
from evaluators.clock import SystemClock
from evaluators.evaluation import Assessment
from evaluators.facets import FacetAnswers
from evaluators.judgement import Judgement
from evaluators.metrics import ONLINE_METRICS
from evaluators.sampler import Sampler, SamplingRule
from tests.fakes import CountingMetrics, DispatchLog


class Member:
    """`judges` says whether verdicts come at once or wait in `dispatched` for `judge`."""

    def __init__(self, settings: KafkaReceiverSettings, *, judges: bool, **assembly: float) -> None:
        clock = SystemClock()
        self.judges = judges
        self.metrics = Metrics(clock)
        self.assessments: list[Assessment] = []
        self.dispatched = DispatchLog()
        times = {"grace_s": 0.3, "idle_s": 30.0} | assembly
        self.assembler = Assembler(AssemblySettings(**times), clock, CountingMetrics())  # type: ignore[arg-type]
        route = Route("lexical", "lexical@1", tuple(ONLINE_METRICS.values()), Sampler([SamplingRule(rate=1.0)]))
        reader = TraceReader()
        events = LogEvents(self.metrics.series, clock)
        self.pipeline = Pipeline(
            self.assembler, reader, [route], self.metrics, VerdictStore(clock), self, events=events
        )
        self.pipeline.connect(self.dispatched)  # type: ignore[arg-type]
        self.receiver = KafkaReceiver(
            settings,
            Codec(reader.markers),
            self.pipeline,
            events.take,
            self.metrics,
            KafkaMetrics(self.metrics.series),
            clock,
        )
        self._tasks: list[asyncio.Task[None]] = []

    def observe(self, assessment: Assessment) -> None:
        self.assessments.append(assessment)

    @property
    def judged(self) -> list[int]:
        """The numbers of the traces that have a verdict, in its order."""
        return [int(assessment.sample.trace_id, 16) for assessment in self.assessments]

    @property
    def asked(self) -> list[int]:
        """The numbers of the traces that wait for their verdict."""
        return [int(sample.trace_id, 16) for sample, _, _ in self.dispatched.submitted]

    def judge(self) -> None:
        """Give a verdict on all that wait for one."""
        submitted, self.dispatched.submitted = self.dispatched.submitted, []
        for sample, judge, facets in submitted:
            self.pipeline.deliver(Judgement(sample, judge, "lexical@1", facets, FacetAnswers()))

    def value(self, series: str) -> float:
        """The value of a series, 0 where there is none."""
        self.metrics.refresh()
        for line in self.metrics.render()[0].decode().splitlines():
            if line.startswith(f"groundwatch_{series} "):
                return float(line.split()[-1])
        return 0.0

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self.pipeline.run()), asyncio.create_task(self._tick())]
        await self.receiver.start()

    async def stop(self) -> None:
        """As a process that is told to stop."""
        await self.receiver.stop()
        await self.receiver.close()
        await self._end()

    async def crash(self) -> None:
        """As a process that is killed: nothing is committed. The group is left, so that no test waits for a timeout."""
        await self.receiver.stop()
        await self.receiver._disconnect()
        await self._end()

    async def _end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(0.05)
            self.pipeline.tick()
            if self.judges:
                self.judge()


@asynccontextmanager
async def member(
    address: str, topic: str, group: str, *, judges: bool = True, grace_s: float = 0.3, **rest: Any
) -> AsyncIterator[Member]:
    """A running worker."""
    fixed = {"commit_interval_s": 0.1, "session_timeout_s": 6.0, "hand_over_s": 0.5}
    settings = KafkaReceiverSettings(bootstrap_servers=(address,), topics=(topic,), group_id=group, **(fixed | rest))
    one = Member(settings, judges=judges, grace_s=grace_s)
    await one.start()
    try:
        yield one
    finally:
        with contextlib.suppress(Exception):
            await one.stop()
