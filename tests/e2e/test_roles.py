"""The line in several processes: receive, evaluate and alert meet in topics."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from alerts.notifiers.webhook import WebhookSettings
from alerts.settings import AlertSettings
from collector.demo.inbox import Inbox
from collector.roles import Role
from collector.service import Service
from collector.streams.settings import StreamSettings
from evaluators.assessment_codec import dump_assessment, load_assessment
from evaluators.errors import PermanentError
from evaluators.evaluation import Failed, FailReason, Scored, Skipped, SkipReason
from tests.collector.test_service import SCORED, config, post, value
from tests.kafka.broker import Broker
from tests.kafka.topics import WRONG, Topics, spans_of, topics_on, unique
from tests.servers import free_port, until
from tests.verdicts import CONTRADICTED, assessment

SHOP = SCORED.replace("shop-assistant", "shop")


class Fleet:
    """Topics of its own, and services that meet in them."""

    def __init__(self, topics: Topics, spans: str, evaluations: str, *, idempotent: bool) -> None:
        self.topics = topics
        self.streams = StreamSettings(
            bootstrap_servers=(topics.address,),
            spans_topic=spans,
            evaluations_topic=evaluations,
            alert_group_id=unique("alerts"),
            idempotent=idempotent,
        )

    @asynccontextmanager
    async def running(self, role: Role, **rest: object) -> AsyncIterator[Service]:
        service = Service(config(streams=self.streams, **rest), role=role)
        await service.start()
        try:
            await until(lambda: service._health()["receivers"], 30)
            yield service
        finally:
            await service.stop(10.0)


@asynccontextmanager
async def fleet(kafka: Broker) -> AsyncIterator[Fleet]:
    async with topics_on(kafka.address) as topics:
        spans, evaluations = await topics.create("spans", 4), await topics.create("evaluations", 2)
        yield Fleet(topics, spans, evaluations, idempotent=kafka.is_idempotent)


def notifying(url: str, folder: Path) -> dict[str, object]:
    webhook = WebhookSettings(type="webhook", url=url)
    return {"alerts": AlertSettings(notifiers=(webhook,), outbox_path=folder / "outbox.db")}


@pytest.mark.usefixtures("apache_kafka")
async def test_spans_of_one_trace_over_two_fronts_are_judged_once_by_one_worker(kafka: Broker) -> None:
    async with fleet(kafka) as several, AsyncExitStack() as stack:
        fronts = [await stack.enter_async_context(several.running(Role.RECEIVE)) for _ in range(2)]
        workers = [await stack.enter_async_context(several.running(Role.EVALUATE)) for _ in range(2)]
        for number in range(1, 21):
            assert await post(fronts[0], spans_of(number, parts="retrieval")) == 200
            assert await post(fronts[1], spans_of(number, parts="root")) == 200
        await until(lambda: sum(value(worker, SHOP) for worker in workers) == 20, 40)
        written = await several.topics.read(several.streams.evaluations_topic, 20)
        verdicts = [load_assessment(message.value) for message in written if not message.headers]
        assert {message.key for message in written if not message.headers} == {b"shop"}
        assert len({one.sample.trace_id for one in verdicts}) == len(verdicts)
        assert all(one.sample.chunks and one.sample.answer for one in verdicts)
        assert all(value(worker, SHOP) > 0 for worker in workers)


@pytest.mark.usefixtures("apache_kafka")
async def test_an_alerting_process_notifies_once_and_knows_after_a_restart_what_it_knew(
    kafka: Broker, tmp_path: Path
) -> None:
    inbox = Inbox()
    url = await inbox.start()
    async with fleet(kafka) as several:
        async with (
            several.running(Role.RECEIVE) as front,
            several.running(Role.EVALUATE),
            several.running(Role.ALERT, **notifying(url, tmp_path)) as alerting,
        ):
            await until(lambda: alerting._decides, 30)
            for number in range(1, 4):
                assert await post(front, spans_of(number, answer=WRONG)) == 200
            notification = await asyncio.wait_for(inbox.alerts.get(), 30)
            assert notification["signals"][0]["rule"] == "contradicted_claim"
            await until(lambda: len(alerting.store.recent(10)) == 3, 20)
            raised = alerting.engine.firing
        async with several.running(Role.ALERT, **notifying(url, tmp_path)) as again:
            await until(lambda: again._decides and again.engine.firing, 30)
            assert again.engine.firing == raised
            assert len(again.store.recent(10)) == 3
            await asyncio.sleep(2.0)
            assert inbox.alerts.empty()
    await inbox.stop()


async def test_a_front_refuses_what_no_broker_takes_and_senders_keep_it() -> None:
    streams = StreamSettings(bootstrap_servers=(f"127.0.0.1:{free_port()}",))
    service = Service(config(streams=streams), role=Role.RECEIVE)
    await service.start()
    try:
        assert await post(service, spans_of(1)) == 503
    finally:
        await service.stop(1.0)


async def test_a_front_acknowledges_only_what_the_broker_has(kafka: Broker) -> None:
    async with fleet(kafka) as several, several.running(Role.RECEIVE) as front:
        assert await post(front, spans_of(7)) == 200
        (message,) = await several.topics.read(several.streams.spans_topic, 1)
        assert message.key == (7).to_bytes(16, "big").hex().encode()
        await several.topics.delete(several.streams.spans_topic)


def test_a_role_without_streams_is_an_error_that_says_what_to_set() -> None:
    with pytest.raises(PermanentError, match="streams: role evaluate"):
        Service(config(), role=Role.EVALUATE)


@pytest.mark.parametrize(
    "outcome", [Scored(0.5), Skipped(SkipReason.TRUNCATED), Failed(FailReason.TRUNCATED, "length")]
)
def test_an_assessment_survives_its_way_through_a_topic(outcome: Scored | Skipped | Failed) -> None:
    one = assessment(1, CONTRADICTED, outcomes={"faithfulness": outcome}, attributes={"model": "a"}, revision=1)
    assert load_assessment(dump_assessment(one)) == one
