"""What a trace costs a worker: with more workers, and with ten times of what it should not depend on."""

import asyncio
import time
from pathlib import Path

from tests.bench.kafka_fleet import Worker, half_of, judge_settings, llm_stub, trace_id
from tests.kafka.broker import Broker
from tests.kafka.topics import Topics, topics_on

PARTITIONS = 12
OPEN_FIRST = 10_000_000
"""Numbers of the traces that stay open all the time."""

PATIENCE_S = 240.0
LOOK_S = 2.0
SETTLE_S = 5.0
"""A worker that begins at the end of a topic is ready a moment before it knows where that is."""

MIB = 1 << 20


class Case:
    """`length` times as many messages stand in the topic before the group's committed offsets."""

    def __init__(
        self, name: str, *, workers: int = 1, services: int = 10, opened: int = 1_000, length: int = 1
    ) -> None:
        self.name = name
        self.workers = workers
        self.services = services
        self.opened = opened
        self.length = length
        self.start = "earliest" if length == 1 else "latest"


CASES = (
    Case("1 worker"),
    Case("2 workers", workers=2),
    Case("4 workers", workers=4),
    Case("10 x services", services=100),
    Case("10 x open traces", opened=10_000),
    Case("10 x topic", length=10),
)


async def scale(broker: Broker, folder: Path, traces: int) -> list[tuple[str, str]]:
    """Run all cases; the rows of the table."""
    rows = [("", "CPU s/1000 traces   traces/s   MiB a worker")]
    async with topics_on(broker.address) as topics:
        with llm_stub(0.0) as llm:
            for number, case in enumerate(CASES):
                where = folder / f"case-{number}"
                where.mkdir()
                rows.append((case.name, await _run(case, topics, where, llm, traces)))
    return rows


async def _run(case: Case, topics: Topics, folder: Path, llm: str, traces: int) -> str:
    spans, evaluations = await topics.create("spans", PARTITIONS), await topics.create("evaluations", 1)
    kafka = {"bootstrap_servers": [topics.address]}
    config = {
        "receivers": {"kafka": kafka | {"topics": [spans], "dead_letter_topic": None, "auto_offset_reset": case.start}},
        "streams": kafka | {"spans_topic": spans, "evaluations_topic": evaluations},
        "assembly": {"grace_s": 1.0, "idle_s": 3600.0, "max_age_s": 3600.0},
        **judge_settings(f"{llm}/w/v1"),
    }
    if case.length > 1:
        await _send(topics, spans, traces * case.length, case.services, first=traces * 2)
    workers = [Worker(folder, f"worker-{n}", "evaluate", config) for n in range(case.workers)]
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            await asyncio.to_thread(worker.wait_ready)
        await asyncio.sleep(SETTLE_S)
        await _open(topics, spans, case)
        await _judged(workers, 0, case.opened)
        await _send(topics, spans, traces // 10, case.services, first=traces)
        await _judged(workers, traces // 10, case.opened)
        return await _measure(case, topics, spans, workers, traces)
    finally:
        for worker in workers:
            await asyncio.to_thread(worker.stop)


async def _measure(case: Case, topics: Topics, spans: str, workers: list[Worker], traces: int) -> str:
    before, began = sum(worker.cpu_s() for worker in workers), time.monotonic()
    await _send(topics, spans, traces, case.services)
    await _judged(workers, traces + traces // 10, case.opened)
    spent, took = sum(worker.cpu_s() for worker in workers) - before, time.monotonic() - began
    memory = max(worker.rss() for worker in workers) / MIB
    return f"{spent / traces * 1000:17.2f} {traces / took:10.0f} {memory:14.1f}"


async def _judged(workers: list[Worker], traces: int, opened: int) -> None:
    """Wait until so many traces are judged and so many are open."""
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        await asyncio.sleep(LOOK_S)
        counts = [await asyncio.to_thread(one.metrics, "verdict_age_seconds_count", "open_traces") for one in workers]
        done, held = (sum(column) for column in zip(*counts, strict=True))
        if done >= traces and held >= opened:
            return
    raise AssertionError(f"{done} of {traces} judged, {held} of {opened} open")


async def _open(topics: Topics, topic: str, case: Case) -> None:
    for number in range(OPEN_FIRST, OPEN_FIRST + case.opened):
        body = half_of(number, f"service-{number % case.services}", second=False)
        await topics.producer.send(topic, body, key=trace_id(number).hex().encode())
    await topics.producer.flush()


async def _send(topics: Topics, topic: str, traces: int, services: int, first: int = 0) -> None:
    for number in range(first, first + traces):
        for second in (False, True):
            body = half_of(number, f"service-{number % services}", second=second)
            await topics.producer.send(topic, body, key=trace_id(number).hex().encode())
    await topics.producer.flush()
