import asyncio

import aiokafka.codec
import pytest

from collector import backlog
from collector.check import check
from collector.receivers.kafka_settings import KafkaReceiverSettings
from collector.receivers.settings import ReceiverSettings
from collector.service import Service
from evaluators.errors import PermanentError
from tests.collector.test_service import SCORED, config, post, request_of, running, value
from tests.kafka.broker import Broker
from tests.kafka.member import member
from tests.kafka.topics import spans_of, topics_on, unique
from tests.servers import free_port, get_json, until


def with_kafka(address: str, topic: str) -> dict[str, object]:
    kafka = KafkaReceiverSettings(bootstrap_servers=(address,), topics=(topic,), session_timeout_s=6.0)
    return {"grpc": ReceiverSettings(port=0), "http": ReceiverSettings(port=0), "kafka": kafka}


async def readiness(service: Service) -> dict[str, bool]:
    from aiohttp import ClientSession

    url = f"http://127.0.0.1:{service.web.port}/readyz"
    async with ClientSession() as session, session.get(url) as response:
        body = await response.json()
        return {"status": response.status == 200, **body["components"]}


async def test_061_without_a_broker_the_monitor_starts_is_not_ready_and_judges_what_comes_over_otlp() -> None:
    receivers = with_kafka(f"127.0.0.1:{free_port()}", "otlp_spans")
    async with running(config(receivers=receivers)) as service:
        assert await post(service, request_of(0)) == 200
        await until(lambda: value(service, SCORED) == 1, 20)
        state = await readiness(service)
        assert (state["status"], state["receivers"], state["started"]) == (False, False, True)
        assert value(service, "groundwatch_kafka_connected") == 0


@pytest.mark.usefixtures("apache_kafka")
async def test_061_a_broker_that_restarts_is_read_on_and_one_that_comes_late_is_waited_for(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send_traces(topic, [1])
    async with member(kafka.address, topic, group) as one:
        await until(lambda: one.judged == [1], 20)
        await asyncio.to_thread(kafka.stop)
        async with member(kafka.address, topic, unique("group")) as late:
            await asyncio.sleep(0.5)
            assert not late.receiver.connected
            await asyncio.to_thread(kafka.start)
            async with topics_on(kafka.address) as topics:
                await topics.send_traces(topic, [2])
            await until(lambda: 2 in one.judged and sorted(late.judged) == [1, 2], 40)


@pytest.mark.usefixtures("apache_kafka")
async def test_062_an_offset_that_retention_took_is_counted_and_reading_goes_on(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send_traces(topic, [1])
        async with member(kafka.address, topic, group) as one:
            await until(lambda: one.judged == [1], 20)
        await topics.send_traces(topic, [2, 3, 4])
        await topics.delete_before(topic, 3)
        async with member(kafka.address, topic, group) as two:
            await until(lambda: two.judged == [4], 20)
            assert two.value(f'kafka_offset_resets_total{{topic="{topic}"}}') == 1


@pytest.mark.usefixtures("apache_kafka")
async def test_062_a_topic_that_is_made_anew_is_read_from_its_start(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send_traces(topic, [1, 2, 3])
        async with member(kafka.address, topic, group, metadata_max_age_s=1) as one:
            await until(lambda: sorted(one.judged) == [1, 2, 3], 20)
            await topics.delete(topic)
            await until(lambda: topics.is_gone(topic), 20)
            await topics.make(topic)
            await topics.send_traces(topic, [9])
            await until(lambda: 9 in one.judged, 30)


@pytest.mark.parametrize(("start", "judged"), [("earliest", [1, 2]), ("latest", [2])])
async def test_062_without_a_committed_offset_the_setting_decides(kafka: Broker, start: str, judged: list[int]) -> None:
    async with topics_on(kafka.address) as topics:
        topic = await topics.create()
        await topics.send_traces(topic, [1])
        async with member(kafka.address, topic, unique("group"), auto_offset_reset=start) as one:
            await until(lambda: one.receiver.connected and list(one.receiver._group), 20)
            await topics.send_traces(topic, [2])
            await until(lambda: sorted(one.judged) == judged, 20)


async def test_063_a_slow_judge_pauses_partitions_and_the_member_stays_in_its_group(
    kafka: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "MAX_PATIENT", 5)
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        settings = {"session_timeout_s": 1.5, "max_poll_messages": 10, "grace_s": 0.1}
        async with member(kafka.address, topic, group, **settings) as one:
            one.dispatched.room = False
            await topics.send_traces(topic, range(1, 21))
            await until(lambda: one.pipeline._backlog.is_patient_full, 20)
            await topics.send_traces(topic, range(21, 201))
            pauses = f'kafka_pauses_total{{topic="{topic}"}}'
            await until(lambda: one.value(pauses) == 1, 20)
            await asyncio.sleep(2.0)
            assert one.judged == []
            assert one.assembler.open_traces + len(one.pipeline._backlog._patient) < 60
            one.dispatched.room = True
            await until(lambda: len(one.judged) == 200, 20)
            assert sorted(one.judged) == list(range(1, 201))
            assert one.value("kafka_rebalances_total") == 1


async def test_064_a_message_over_the_fetch_size_is_read_and_one_over_the_limit_is_a_dead_letter(
    kafka: Broker,
) -> None:
    async with topics_on(kafka.address) as topics:
        topic = await topics.create(max_message_bytes=str(16 << 20))
        letters = await topics.create("letters")
        padding = b"\x7a" + b"\x80\x80\x80\x01" + bytes(2 << 20)
        await topics.send(topic, spans_of(1) + padding)
        await topics.send(topic, spans_of(2) + padding * 2)
        await topics.send(topic, spans_of(3))
        limits = {"max_message_bytes": 3 << 20, "dead_letter_topic": letters}
        async with member(kafka.address, topic, unique("group"), **limits) as one:
            await until(lambda: sorted(one.judged) == [1, 3], 20)
        (letter,) = await topics.read(letters, 1)
        assert dict(letter.headers)["groundwatch.error"] == b"too_large"


@pytest.mark.parametrize("compression", ["gzip", "snappy", "lz4", "zstd"])
async def test_065_batches_of_every_codec_are_read(kafka: Broker, compression: str) -> None:
    async with topics_on(kafka.address) as topics:
        topic = await topics.create()
        producer = aiokafka.AIOKafkaProducer(bootstrap_servers=kafka.address, compression_type=compression)
        async with producer, member(kafka.address, topic, unique("group")) as one:
            await producer.send_and_wait(topic, spans_of(7), key=b"k")
            await until(lambda: one.judged == [7], 20)


def test_065_without_the_codecs_the_monitor_does_not_start_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(aiokafka.codec, "cramjam", None)
    with pytest.raises(PermanentError, match=r"snappy, lz4, zstd.*groundwatch\[kafka\]"):
        check(config(receivers=with_kafka("127.0.0.1:9", "otlp_spans")))


async def test_readiness_shows_a_broker_that_answers(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic = await topics.create()
        async with running(config(receivers=with_kafka(kafka.address, topic))) as service:
            await topics.send(topic, request_of(0))
            await until(lambda: value(service, SCORED) == 1, 30)
            answer = await get_json(f"http://127.0.0.1:{service.web.port}/readyz")
            assert answer["ready"] is True
