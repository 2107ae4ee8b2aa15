"""What a trace costs a worker: with more workers, and with ten times of what it should not depend on.

The cost with ten times as much is compared with that of a worker with one time as much, in turns on the same broker, so
that the machine's moods fall on both.
"""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from aiokafka import AIOKafkaConsumer

from tests.bench.kafka_fleet import Worker, half_of, judge_settings, llm_stub, trace_id
from tests.kafka.broker import Broker
from tests.kafka.topics import Topics, topics_on, unique
from tests.servers import until

PARTITIONS = 12
ROUNDS = 7
"""Counted ones; one more comes first, in which programs warm up."""

OPEN_FIRST, OLD_FIRST = 10_000_000, 20_000_000
"""Numbers of the traces that stay open all the time, and of those that a long topic holds from before."""

PATIENCE_S = 240.0
SETTLE_S = 5.0
"""A worker that begins at the end of a topic is ready a moment before it knows where that is."""

MIB = 1 << 20


class Case(NamedTuple):
    """`old` messages' worth of traces stand in the topic before the group begins to read."""

    name: str
    workers: int = 1
    services: int = 10
    opened: int = 1_000
    old: int = 4_000


ONE = Case("1 worker")
GROWING = (ONE, Case("2 workers", workers=2), Case("4 workers", workers=4))
TENFOLD = (
    Case("10 x services", services=100),
    Case("10 x open traces", opened=10_000),
    Case("10 x topic", old=40_000),
)


class Spent(NamedTuple):
    """On one round."""

    cpu_s: float
    wall_s: float


class Fleet:
    """The workers of a case, alive, with topics and a group of their own."""

    def __init__(self, case: Case, topics: Topics, workers: list[Worker], spans: str) -> None:
        self.case = case
        self._topics = topics
        self._workers = workers
        self._spans = spans
        self._sent = 0
        self._judged = 0
        self._more = asyncio.Event()

    async def count(self, evaluations: str) -> None:
        """Count verdicts as they come, which costs the workers nothing; until cancelled."""
        consumer = AIOKafkaConsumer(evaluations, bootstrap_servers=self._topics.address, auto_offset_reset="earliest")
        await consumer.start()
        try:
            async for message in consumer:
                if not message.headers:
                    self._judged += 1
                    self._more.set()
        finally:
            await consumer.stop()

    async def round(self, traces: int) -> Spent:
        """Have so many new traces judged."""
        before, began = self._cpu_s(), time.monotonic()
        await send(self._topics, self._spans, range(self._sent, self._sent + traces), self.case.services)
        self._sent += traces
        async with asyncio.timeout(PATIENCE_S):
            while self._judged < self._sent:
                self._more.clear()
                await self._more.wait()
        return Spent(self._cpu_s() - before, time.monotonic() - began)

    async def hold_open(self) -> None:
        """Have the traces of the case open that stay so."""
        for number in range(OPEN_FIRST, OPEN_FIRST + self.case.opened):
            body = half_of(number, f"service-{number % self.case.services}", second=False)
            await self._topics.producer.send(self._spans, body, key=trace_id(number).hex().encode())
        await self._topics.producer.flush()
        await until(self._all_held, PATIENCE_S, 1.0)

    @property
    def memory_mib(self) -> float:
        """Resident, of the largest worker."""
        return max(worker.rss() for worker in self._workers) / MIB

    async def _all_held(self) -> bool:
        held = [await asyncio.to_thread(worker.metrics, "open_traces") for worker in self._workers]
        return sum(count for (count,) in held) >= self.case.opened

    def _cpu_s(self) -> float:
        return sum(worker.cpu_s() for worker in self._workers)


async def scale(broker: Broker, folder: Path, traces: int) -> list[tuple[str, str]]:
    """Run all cases; the rows of the table."""
    rows = [("", "CPU s/1000 traces (least-most)    traces/s   MiB a worker")]
    async with topics_on(broker.address) as topics:
        with llm_stub(0.0) as llm:
            for case in GROWING:
                async with _fleet(case, topics, folder, llm) as fleet:
                    (spent,) = await _rounds([fleet], traces)
                    rows.append((case.name, _shown(fleet, spent, traces)))
            for case in TENFOLD:
                async with _fleet(ONE, topics, folder, llm) as one, _fleet(case, topics, folder, llm) as ten:
                    base, grown = await _rounds([one, ten], traces)
                    rows.append((f"{case.name}: one", _shown(one, base, traces)))
                    rows.append((f"{case.name}: ten", _shown(ten, grown, traces)))
                    rows.append((f"{case.name}: CPU, ten / one", _ratio(base, grown)))
    return rows


@asynccontextmanager
async def _fleet(case: Case, topics: Topics, folder: Path, llm: str) -> AsyncIterator[Fleet]:
    spans, evaluations = await topics.create("spans", PARTITIONS), await topics.create("evaluations", 1)
    kafka = {"bootstrap_servers": [topics.address]}
    receiver = {"topics": [spans], "group_id": unique("group"), "dead_letter_topic": None}
    config = {
        "receivers": {"kafka": kafka | receiver | {"auto_offset_reset": "latest"}},
        "streams": kafka | {"spans_topic": spans, "evaluations_topic": evaluations},
        "assembly": {"grace_s": 1.0, "idle_s": 3600.0, "max_age_s": 3600.0},
        **judge_settings(f"{llm}/w/v1"),
    }
    await send(topics, spans, range(OLD_FIRST, OLD_FIRST + case.old), case.services)
    workers = [Worker(folder, unique("worker"), "evaluate", config) for _ in range(case.workers)]
    async with AsyncExitStack() as stack:
        for worker in workers:
            stack.push_async_callback(asyncio.to_thread, worker.stop)
            worker.start()
        for worker in workers:
            await asyncio.to_thread(worker.wait_ready)
        await asyncio.sleep(SETTLE_S)
        fleet = Fleet(case, topics, workers, spans)
        counting = asyncio.create_task(fleet.count(evaluations))
        await fleet.hold_open()
        try:
            yield fleet
        finally:
            counting.cancel()
            await asyncio.gather(counting, return_exceptions=True)


async def _rounds(fleets: list[Fleet], traces: int) -> list[list[Spent]]:
    """What each fleet spent on each round, taken in turns."""
    for fleet in fleets:
        await fleet.round(traces)
    rounds = [[await fleet.round(traces) for fleet in fleets] for _ in range(ROUNDS)]
    return [list(spent) for spent in zip(*rounds, strict=True)]


def _shown(fleet: Fleet, spent: list[Spent], traces: int) -> str:
    cpu = [one.cpu_s / traces * 1000 for one in spent]
    rate = traces / statistics.median(one.wall_s for one in spent)
    spread = f"({min(cpu):.2f}-{max(cpu):.2f})"
    return f"{statistics.median(cpu):17.2f} {spread:>12} {rate:11.0f} {fleet.memory_mib:14.1f}"


def _ratio(base: list[Spent], grown: list[Spent]) -> str:
    ratios = [ten.cpu_s / one.cpu_s for one, ten in zip(base, grown, strict=True)]
    return f"{statistics.median(ratios):17.2f} {f'({min(ratios):.2f}-{max(ratios):.2f})':>12} {'':26}"


async def send(topics: Topics, topic: str, numbers: range, services: int) -> None:
    """Send both halves of the numbered traces."""
    for number in numbers:
        for second in (False, True):
            body = half_of(number, f"service-{number % services}", second=second)
            await topics.producer.send(topic, body, key=trace_id(number).hex().encode())
    await topics.producer.flush()
