"""Alerts of services that move from one alerting process to another: told once, resolved once, by whoever has them."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from aiokafka.partitioner import DefaultPartitioner

from collector.demo.inbox import Inbox
from evaluators.assessment_codec import dump_assessment
from evaluators.evaluation import Assessment
from tests.kafka.broker import Broker
from tests.kafka.topics import Topics, topics_on, unique
from tests.monitor import Monitor, monitor
from tests.servers import until
from tests.verdicts import contradicted, good

COOLDOWN_S = 12
SERVICES = tuple(
    next(name for name in (f"shop-{n}" for n in range(99)) if DefaultPartitioner()(name.encode(), [0, 1], []) == at)
    for at in (0, 1)
)
READ = re.compile(r'^groundwatch_stream_messages_total\{outcome="read".*\} [1-9]', re.MULTILINE)


def firing(process: Monitor) -> set[str]:
    """The services of which an alert is raised there."""
    found = re.findall(
        r'^groundwatch_rule_firing\{.*service="([^"]*)".*\} 1\.0$', process.get("/metrics"), re.MULTILINE
    )
    return set(found)


class Told:
    """What the webhook was sent."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self.signals: list[tuple[str, str]] = []
        self.beginnings: set[tuple[str, str]] = set()

    def __call__(self) -> list[tuple[str, str]]:
        while not self._inbox.alerts.empty():
            for one in self._inbox.alerts.get_nowait()["signals"]:
                self.signals.append((one["service"], one["state"]))
                self.beginnings.add((one["service"], one["starts_at"]))
        return sorted(self.signals)


class Watch:
    """A topic of evaluations, a webhook, and the processes between them."""

    def __init__(self, topics: Topics, topic: str, url: str, folder: Path, told: Told, *, idempotent: bool) -> None:
        self.told = told
        self._topics = topics
        self._topic = topic
        self._folder = folder
        rule = {"name": "contradicted_claim", "kind": "trace", "contradicted": True, "cooldown": COOLDOWN_S}
        alerts = {"default_rules": False, "rules": [rule], "notifiers": [{"type": "webhook", "url": url}]}
        streams = {
            "bootstrap_servers": [topics.address],
            "evaluations_topic": topic,
            "alert_group_id": unique("alerts"),
            "session_timeout_s": 3.0,
            "idempotent": idempotent,
        }
        self._config: dict[str, Any] = {"alerts": alerts, "streams": streams}

    @contextmanager
    def process(self, name: str) -> Iterator[Monitor]:
        config = self._config | {"alerts": self._config["alerts"] | {"outbox_path": str(self._folder / f"{name}.db")}}
        with monitor(self._folder / name, role="alert", **config) as one:
            yield one

    async def contradict(self, *readers: Monitor) -> None:
        """A bad trace of each service, once all these processes read."""

        async def all_read() -> bool:
            await self._send(good(number, service=service) for number, service in enumerate(SERVICES))
            return all(READ.search(reader.get("/metrics")) for reader in readers)

        await until(all_read, 40, every_s=0.5)
        await self._send(contradicted(10 + number, service=service) for number, service in enumerate(SERVICES))

    async def _send(self, verdicts: Iterable[Assessment]) -> None:
        for one in verdicts:
            key = one.sample.service.encode()
            await self._topics.producer.send_and_wait(self._topic, dump_assessment(one), key=key)


@asynccontextmanager
async def watching(kafka: Broker, folder: Path) -> AsyncIterator[Watch]:
    inbox = Inbox()
    url = await inbox.start()
    try:
        async with topics_on(kafka.address) as topics:
            topic = await topics.create("evaluations", 2)
            yield Watch(topics, topic, url, folder, Told(inbox), idempotent=kafka.is_idempotent)
    finally:
        await inbox.stop()


FIRING, RESOLVED = ([(service, state) for service in sorted(SERVICES)] for state in ("firing", "resolved"))


async def test_an_alert_moves_with_its_service_to_who_joins_and_back_and_is_told_and_resolved_once(
    kafka: Broker, tmp_path: Path
) -> None:
    async with watching(kafka, tmp_path) as watch:
        with watch.process("one") as one:
            await watch.contradict(one)
            await until(lambda: watch.told() == FIRING, 20)
            with watch.process("two") as two:
                await until(lambda: len(firing(one)) == len(firing(two)) == 1, 20)
                assert firing(one) | firing(two) == set(SERVICES)
                assert await asyncio.to_thread(two.stop) == 0
            await until(lambda: firing(one) == set(SERVICES), 20)
            assert watch.told() == FIRING
            await until(lambda: len(watch.told()) == 4, 40)
            await asyncio.sleep(1.5)
            assert watch.told() == sorted(FIRING + RESOLVED)
            assert not firing(one)
            assert len(watch.told.beginnings) == 2


async def test_who_is_left_goes_on_with_the_alerts_of_who_is_killed(kafka: Broker, tmp_path: Path) -> None:
    async with watching(kafka, tmp_path) as watch:
        with watch.process("one") as one, watch.process("two") as two:
            await watch.contradict(one, two)
            await until(lambda: watch.told() == FIRING and len(firing(one)) == len(firing(two)) == 1, 20)
            await asyncio.sleep(1.5)
            one.process.kill()
            await until(lambda: firing(two) == set(SERVICES), 20)
            await until(lambda: len(watch.told()) == 4, 40)
            await asyncio.sleep(1.0)
            assert watch.told() == sorted(FIRING + RESOLVED)
