"""Logs through a Collector with fan-out.yaml: contents of model calls to groundwatch, its verdicts to the backend."""

import asyncio
import urllib.request
from pathlib import Path
from typing import Literal

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from alerts.writeback.results import EVENT
from alerts.writeback.settings import WriteBackSettings
from collector.config import ReceiversConfig
from collector.conventions.context_settings import ContextSettings
from collector.receivers.settings import ReceiverSettings
from tests.captures.own.key import OWN
from tests.collector.test_service import SCORED, config, request_of, running, value
from tests.deploy.replay import post
from tests.fakes import OtlpBackend
from tests.otelcol.collector import otel_collector
from tests.otlp import PROTOBUF, TRACE_ID, attribute
from tests.servers import free_port, until

CONTENT = OWN / "otel_genai_langchain_events"


def post_logs(base: str, sent: bytes) -> int:
    request = urllib.request.Request(f"{base}/v1/logs", sent, {"Content-Type": PROTOBUF})
    with urllib.request.urlopen(request, timeout=10) as response:
        return int(response.status)


def logs(service: str, *records: LogRecord) -> bytes:
    message = ExportLogsServiceRequest()
    resource = message.resource_logs.add()
    resource.resource.attributes.append(attribute("service.name", service))
    resource.scope_logs.add().log_records.extend(records)
    return message.SerializeToString()


def record(**fields: object) -> LogRecord:
    return LogRecord(trace_id=TRACE_ID, span_id=b"12345678", **fields)  # type: ignore[arg-type]


def mapping(key: str, text: str) -> AnyValue:
    value = AnyValue()
    value.kvlist_value.values.append(attribute(key, text))
    return value


def told(one: LogRecord) -> tuple[object, ...]:
    return one.trace_id, one.span_id, one.event_name, list(one.attributes), one.body


async def test_only_records_with_content_of_a_model_call_reach_groundwatch_and_all_reach_the_backend(
    tmp_path: Path,
) -> None:
    kept = [
        record(event_name="gen_ai.client.inference.operation.details"),
        record(attributes=[attribute("event.name", "gen_ai.user.message")], body=mapping("content", "How long?")),
        record(attributes=[attribute("gen_ai.system", "openai")], body=AnyValue(string_value="hello")),
        record(body=mapping("gen_ai.prompt", "How long?")),
    ]
    dropped = [record(body=AnyValue(string_value="GET /orders")), record(attributes=[attribute("event.name", "login")])]
    own = record(event_name=EVENT, attributes=[attribute("gen_ai.evaluation.name", "faithfulness")])
    async with (
        OtlpBackend() as backend,
        OtlpBackend() as groundwatch,
        otel_collector(
            tmp_path, "fan-out", BACKEND_ENDPOINT=backend.address, GROUNDWATCH_ENDPOINT=groundwatch.address
        ) as collector,
    ):
        for sent in (logs("groundwatch", own), logs("shop", *kept, *dropped)):
            assert await asyncio.to_thread(post_logs, collector.http, sent) == 200
        await until(lambda: groundwatch.records and len(backend.records) == 7)
    assert [told(one) for one in groundwatch.records] == [told(one) for one in kept]


async def test_content_in_logs_and_its_spans_are_joined_and_judged_behind_the_collector(tmp_path: Path) -> None:
    async with (
        OtlpBackend() as backend,
        running(config(context=ContextSettings(from_prompt=True))) as service,
        otel_collector(
            tmp_path,
            "fan-out",
            BACKEND_ENDPOINT=backend.address,
            GROUNDWATCH_ENDPOINT=f"127.0.0.1:{service.receivers['grpc'].port}",
        ) as collector,
    ):
        assert await asyncio.to_thread(post_logs, collector.http, (CONTENT / "00.logs").read_bytes()) == 200
        assert await asyncio.to_thread(post, collector.http, (CONTENT / "00.pb").read_bytes()) == 200
        scored = SCORED.replace("shop-assistant", "own-otel-genai-langchain-events")
        await until(lambda: value(service, scored) == 2)
        assert value(service, "groundwatch_log_events_joined_total") == 3


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
async def test_verdicts_that_are_written_back_reach_the_backend_and_are_not_judged(
    tmp_path: Path, protocol: Literal["http/protobuf", "grpc"]
) -> None:
    port = free_port()
    async with (
        OtlpBackend() as backend,
        otel_collector(
            tmp_path, "fan-out", BACKEND_ENDPOINT=backend.address, GROUNDWATCH_ENDPOINT=f"127.0.0.1:{port}"
        ) as collector,
    ):
        endpoint = collector.http if protocol == "http/protobuf" else f"http://{collector.grpc}"
        back = WriteBackSettings(endpoint=endpoint, protocol=protocol, spans="child")
        receivers = ReceiversConfig(grpc=ReceiverSettings(port=port), http=None)
        async with running(config(receivers=receivers, write_back=back)) as service:
            assert await asyncio.to_thread(post, collector.http, request_of(0)) == 200
            await until(lambda: backend.records and any(one.name == "evaluate lexical" for one in backend.spans), 20)
            await asyncio.sleep(1.5)
            assert value(service, SCORED) == 1
            assert value(service, 'groundwatch_log_records_received_total{receiver="otlp_grpc"}') == 0
    (trace,) = {one.trace_id for one in backend.spans}
    assert {one.trace_id for one in backend.records} == {trace}
    assert {one.event_name for one in backend.records} == {EVENT}
    texts = {pair.value.string_value for one in backend.records for pair in one.attributes}
    assert {"faithfulness", "hallucination"} <= texts
