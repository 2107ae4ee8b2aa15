"""What processes of role alert let each other know of alerts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from alerts.outbox_store import Kept
from alerts.rules.base import Severity
from alerts.series import SeriesRegistry
from alerts.signals import Signal, SignalState
from collector.streams.alert_states import MAX_WAITING, AlertStates
from collector.streams.metrics import StreamMetrics
from collector.streams.settings import StreamSettings
from collector.streams.writer import Writer
from tests.fakes import FakeClock
from tests.kafka.broker import Broker
from tests.kafka.topics import Topics, topics_on
from tests.servers import until

SIGNAL = Signal(rule="r", severity=Severity.PAGE, service="shop", starts_at=5.0, summary="it is bad")
TOLD = Kept(SIGNAL, 5.0, SignalState.FIRING, 6.0)


class Shared:
    """One process's states, in a topic of two partitions that are all its own."""

    def __init__(self, topics: Topics, topic: str, clock: FakeClock, *, idempotent: bool = True) -> None:
        self.topics, self.topic = topics, topic
        settings = StreamSettings(bootstrap_servers=(topics.address,), evaluations_topic=topic, idempotent=idempotent)
        self.writer = Writer(settings)
        self.states = AlertStates(settings, self.writer, StreamMetrics(SeriesRegistry({})), clock, 30.0)
        self.states.begin([0, 1], [0, 1])

    async def written(self) -> int:
        await self.states.settle(10.0)
        return len(await self.topics.all_of(self.topic))

    async def recovered(self) -> list[tuple[str, Kept]]:
        """What another process finds."""
        other = Shared(self.topics, self.topic, FakeClock())
        for message in await self.topics.all_of(self.topic):
            other.states.take(message)
        return other.states.recovered()


@asynccontextmanager
async def shared(kafka: Broker, clock: FakeClock) -> AsyncIterator[Shared]:
    async with topics_on(kafka.address) as topics:
        one = Shared(topics, await topics.create("evaluations", 2), clock, idempotent=kafka.is_idempotent)
        one.writer.start()
        await until(lambda: one.writer.connected, 20)
        try:
            yield one
        finally:
            await one.writer.close()


async def test_another_process_finds_what_was_told_last_and_nothing_that_is_settled(kafka: Broker) -> None:
    async with shared(kafka, FakeClock()) as one:
        one.states.keep("slack", "f1", replace(TOLD, sent_state=None))
        await one.written()
        one.states.keep("slack", "f1", TOLD)
        one.states.keep("pager", "f1", TOLD)
        one.states.keep("slack", "f2", TOLD)
        assert await one.written() == 4
        one.states.keep("slack", "f2", None)
        assert await one.written() == 5
        assert sorted(await one.recovered(), key=lambda found: found[0]) == [("pager", TOLD), ("slack", TOLD)]


async def test_states_are_written_anew_before_nobody_looks_back_so_far(kafka: Broker) -> None:
    clock = FakeClock()
    async with shared(kafka, clock) as one:
        one.states.keep("slack", "f1", TOLD)
        assert await one.written() == 1
        clock.advance(9.0)
        assert await one.written() == 1
        clock.advance(1.0)
        assert await one.written() == 2
        one.states.keep("slack", "f1", None)
        assert await one.written() == 3
        clock.advance(60.0)
        assert await one.written() == 3


async def test_while_no_broker_answers_states_wait_and_it_is_said_that_others_do_not_know_them() -> None:
    settings = StreamSettings(bootstrap_servers=("127.0.0.1:9",))
    states = AlertStates(settings, Writer(settings), StreamMetrics(SeriesRegistry({})), FakeClock(), 30.0)
    states.begin([0], [0])
    states.keep("slack", "f1", TOLD)
    await states.settle(1.0)
    assert "does not take them" in (states.degraded or "")
    assert "lost" in states.fate


def test_what_concerns_no_service_is_told_by_one_process_and_the_rest_by_whoever_observes_it() -> None:
    settings = StreamSettings(bootstrap_servers=("127.0.0.1:9",))
    processes = [
        AlertStates(settings, Writer(settings), StreamMetrics(SeriesRegistry({})), FakeClock(), 30.0) for _ in range(2)
    ]
    for own, process in enumerate(processes):
        process.begin([0, 1], [own])
    assert sum(process.tells("") for process in processes) == 1
    assert all(process.tells(name) for name in ("shop", "__other__") for process in processes)


def test_what_waits_is_bounded() -> None:
    settings = StreamSettings(bootstrap_servers=("127.0.0.1:9",))
    states = AlertStates(settings, Writer(settings), StreamMetrics(SeriesRegistry({})), FakeClock(), 30.0)
    for number in range(MAX_WAITING + 5):
        states.keep("slack", str(number), TOLD)
    assert len(states._waiting) == MAX_WAITING


@pytest.mark.parametrize("value", [b"", b"{}", b'{"notifier": "slack"}', b"\xff"])
def test_what_is_no_state_is_refused(value: bytes) -> None:
    settings = StreamSettings(bootstrap_servers=("127.0.0.1:9",))
    states = AlertStates(settings, Writer(settings), StreamMetrics(SeriesRegistry({})), FakeClock(), 30.0)
    with pytest.raises(ValueError, match="AlertState"):
        states.take(SimpleNamespace(value=value))  # type: ignore[arg-type]
