"""The roles as compose.scaled.yaml starts them, on a real broker and a real Redis."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.deploy.replay import post
from tests.deploy.scaled import Scaled, scaled
from tests.deploy.stack import wait_for
from tests.kafka.broker import Broker
from tests.kafka.topics import WRONG, spans_of, topics_on, trace_id
from tests.monitor import Monitor
from tests.servers import get_json, require

COLLECTED, SENT = range(1, 41), range(41, 81)


@pytest.fixture
async def running(tmp_path: Path, kafka: Broker) -> AsyncIterator[Scaled]:
    require("redis-server")
    async with scaled(tmp_path, kafka.address) as started:
        yield started


async def test_the_scaled_stack_judges_every_trace_once_and_tells_of_the_wrong_answer(
    running: Scaled, kafka: Broker
) -> None:
    (front,), workers, (alert,) = (
        running.processes[name] for name in ("groundwatch-receive", "groundwatch-evaluate", "groundwatch")
    )
    async with topics_on(kafka.address) as topics:
        # As a Collector writes them: `receive` is not passed.
        await topics.send_traces(running.spans, COLLECTED, partitions=12)
    for number in SENT:
        assert await asyncio.to_thread(post, front.http, spans_of(number, answer=WRONG)) == 200
    await wait_for(lambda: judged(workers) == len(COLLECTED) + len(SENT), 20, "every trace judged, and once")
    assert all(judged([worker]) > 0 for worker in workers), "one of them did all the work"

    await wait_for(lambda: "contradicted_claim" in alert.log.read_text(), 20, "an alert")
    assert WRONG in alert.log.read_text()
    for number in (COLLECTED[0], SENT[0]):
        assert await get_json(f"{alert.web}/traces/{trace_id(number).hex()}", format="json")
    assert [process.stop() for process in (front, *workers, alert)] == [0] * 4


def judged(workers: list[Monitor]) -> float:
    """The traces that have a score for faithfulness."""
    return sum(value(worker, "groundwatch_score_count", 'metric="faithfulness"') for worker in workers)


def value(process: Monitor, name: str, labels: str) -> float:
    """The sum of the series of a name whose labels contain these."""
    wanted = labels.split(",")
    found = re.findall(rf"^{name}\{{(.*)\}} ([\d.e+]+)$", process.get("/metrics"), re.MULTILINE)
    return sum(float(number) for have, number in found if all(one in have for one in wanted))
