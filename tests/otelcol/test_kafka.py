"""From an application through Collectors and Apache Kafka to groundwatch, with kafka-out.yaml and kafka-in.yaml."""

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

from collector.config import ReceiversConfig
from collector.demo.app import ShopAssistant
from collector.demo.corpus import TURNS
from collector.receivers.kafka_settings import KafkaReceiverSettings
from tests.collector.test_service import SCORED, config, running, value
from tests.fakes import OtlpBackend
from tests.kafka.broker import Broker
from tests.kafka.topics import Topics, spans_of, topics_on, unique
from tests.otelcol.collector import Endpoints, otel_collector
from tests.servers import free_port, until

PARTITIONS = 4

pytestmark = pytest.mark.usefixtures("apache_kafka")


def kafka_out(folder: Path, broker: Broker, topic: str, codec: str) -> AbstractAsyncContextManager[Endpoints]:
    """kafka-out.yaml; a broker serves other tests, too, so topics have names of their own."""
    overrides = f"exporters::kafka::traces::topic: {topic}", f"exporters::kafka::producer::compression: {codec}"
    return otel_collector(folder, "kafka-out", *overrides, KAFKA_BROKER=broker.address)


def kafka_in(
    folder: Path, broker: Broker, topic: str, group: str, groundwatch: str
) -> AbstractAsyncContextManager[Endpoints]:
    """kafka-in.yaml, from the beginning of the topic, so that the test need not wait for the group."""
    overrides = (
        f"receivers::kafka::traces::topics: [{topic}]",
        f"receivers::kafka::group_id: {group}",
        "receivers::kafka::initial_offset: earliest",
    )
    environment = {"KAFKA_BROKER": broker.address, "GROUNDWATCH_ENDPOINT": groundwatch}
    return otel_collector(folder, "kafka-in", *overrides, **environment)


@pytest.mark.parametrize("codec", ["zstd", "lz4", "snappy", "gzip", "none"])
async def test_what_the_collector_writes_with_a_codec_is_read_by_groundwatch_and_by_the_collector(
    kafka: Broker, tmp_path: Path, codec: str
) -> None:
    async with topics_on(kafka.address) as topics:
        topic = await topics.create("otlp", PARTITIONS)
        direct = KafkaReceiverSettings(
            bootstrap_servers=(kafka.address,), topics=(topic,), group_id=unique("group"), dead_letter_topic=None
        )
        async with (
            running(config(receivers=ReceiversConfig(grpc=None, http=None, kafka=direct))) as reader,
            running(config()) as behind,
            kafka_out(tmp_path, kafka, topic, codec) as out,
            kafka_in(tmp_path, kafka, topic, unique("group"), f"127.0.0.1:{behind.receivers['grpc'].port}") as back,
        ):
            app = ShopAssistant(OTLPSpanExporter(out.grpc, insecure=True))
            for turn in TURNS[:3]:
                await asyncio.to_thread(app.ask, turn)
            await asyncio.to_thread(app.close)
            await until(lambda: value(reader, SCORED) == value(behind, SCORED) == 3, 40)
            assert value(reader, f'groundwatch_kafka_unkeyed_messages_total{{topic="{topic}"}}') == 0
            assert value(reader, f'groundwatch_kafka_messages_total{{outcome="taken",topic="{topic}"}}') >= 3
    assert "deprecated" not in out.log.read_text() + back.log.read_text()


async def test_an_offset_is_committed_only_when_groundwatch_has_taken_the_spans(kafka: Broker, tmp_path: Path) -> None:
    port, group = free_port(), unique("group")
    async with topics_on(kafka.address) as topics:
        topic = await topics.create("otlp")
        await topics.send_traces(topic, range(1, 6))
        async with kafka_in(tmp_path, kafka, topic, group, f"127.0.0.1:{port}") as back:
            await until(lambda: "Exporting failed" in back.log.read_text(), 20)
            await asyncio.sleep(1.5)  # more than an automatic commit takes
            assert not await topics.committed(group, topic)
            async with OtlpBackend(port) as groundwatch:
                await until(lambda: len(groundwatch.spans) == 10, 20)
                await until(lambda: is_committed(topics, group, topic, 5))


async def test_a_message_that_can_never_be_taken_does_not_hold_up_its_partition(kafka: Broker, tmp_path: Path) -> None:
    group = unique("group")
    async with topics_on(kafka.address) as topics, OtlpBackend() as groundwatch:
        topic = await topics.create("otlp")
        await topics.send(topic, b"<html>")
        await topics.send(topic, spans_of(1))
        async with kafka_in(tmp_path, kafka, topic, group, groundwatch.address):
            await until(lambda: groundwatch.spans, 20)
            await until(lambda: is_committed(topics, group, topic, 2))


async def is_committed(topics: Topics, group: str, topic: str, offset: int) -> bool:
    return await topics.committed(group, topic) == offset
