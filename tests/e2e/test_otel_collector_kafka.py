"""From an application through a real OpenTelemetry Collector and Kafka, with the configuration that is shipped."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

from collector.demo.app import ShopAssistant
from collector.demo.corpus import TURNS
from collector.receivers.kafka_settings import KafkaReceiverSettings
from tests.collector.test_service import SCORED, config, running, value
from tests.kafka.broker import Broker
from tests.kafka.topics import topics_on, unique
from tests.servers import free_port, until

SHIPPED = Path(__file__).parents[2] / "deploy" / "otel-collector" / "kafka-out.yaml"
BINARY = os.environ.get("GROUNDWATCH_OTELCOL") or shutil.which("otelcol-contrib") or shutil.which("otelcol")


@asynccontextmanager
async def otel_collector(folder: Path, broker: str, topic: str, compression: str) -> AsyncIterator[str]:
    """The Collector with the shipped configuration on a free port; yields its gRPC address."""
    settings = yaml.safe_load(SHIPPED.read_text())
    port = free_port()
    settings["receivers"]["otlp"]["protocols"] = {"grpc": {"endpoint": f"127.0.0.1:{port}"}}
    settings["exporters"]["kafka"]["traces"]["topic"] = topic
    settings["exporters"]["kafka"]["producer"]["compression"] = compression
    settings["service"]["telemetry"] = {"metrics": {"level": "none"}}
    file = folder / "collector.yaml"
    file.write_text(yaml.safe_dump(settings))
    with (folder / "collector.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            str(BINARY), "--config", str(file), stdout=log, stderr=log, env={**os.environ, "KAFKA_BROKER": broker}
        )
    try:
        await until(lambda: b"Everything is ready" in (folder / "collector.log").read_bytes(), 30)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.skipif(BINARY is None, reason="no OpenTelemetry Collector: set GROUNDWATCH_OTELCOL to its binary")
@pytest.mark.parametrize("compression", ["zstd", "lz4", "snappy", "gzip"])
async def test_what_the_collectors_kafka_exporter_writes_is_read_as_it_is(
    kafka: Broker, tmp_path: Path, compression: str
) -> None:
    async with topics_on(kafka.address) as topics:
        topic = await topics.create("otlp", 4)
        settings = KafkaReceiverSettings(
            bootstrap_servers=(kafka.address,), topics=(topic,), group_id=unique("group"), dead_letter_topic=None
        )
        async with (
            running(config(receivers={"grpc": None, "http": None, "kafka": settings})) as service,
            otel_collector(tmp_path, kafka.address, topic, compression) as address,
        ):
            app = ShopAssistant(OTLPSpanExporter(address, insecure=True))
            for turn in TURNS[:3]:
                await asyncio.to_thread(app.ask, turn)
            await asyncio.to_thread(app.close)
            await until(lambda: value(service, SCORED) == 3, 40)
            assert value(service, f'groundwatch_kafka_unkeyed_messages_total{{topic="{topic}"}}') == 0
            assert value(service, f'groundwatch_kafka_messages_total{{outcome="taken",topic="{topic}"}}') >= 3
