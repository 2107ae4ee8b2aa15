"""The contract of a receiver, for every one of them."""

import asyncio
import socket

import pytest
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter

from collector.codec import Codec
from collector.receivers.settings import ReceiverSettings
from collector.spans import SpanBatch
from evaluators.errors import PermanentError
from tests.fakes import CountingMetrics, SpanLog
from tests.otlp import MARKER, MARKERS, RECEIVERS, body, receiving, span

pytestmark = pytest.mark.parametrize("transport", ["grpc", "http"])


async def test_an_accepted_request_reaches_the_sink_and_is_counted(transport: str) -> None:
    async with receiving(transport) as bench:
        answer = await bench.sender.send(body(span(1), span(2, marked=False)))
        assert (answer.code, answer.rejected, answer.raw) == ("OK", 0, b"")
        assert [kept.span_id for kept in bench.sink.spans] == [span(1).span_id]
        assert bench.received() == 2


async def test_spans_without_a_marker_are_counted_apart_from_those_that_are_refused(transport: str) -> None:
    async with receiving(transport) as bench:
        await bench.sender.send(body(span(1), span(2, marked=False), span(3, marked=False), span(4, trace_id=b"short")))
        assert bench.rejected("invalid_id") == 1
        assert bench.metrics.count("spans_ordinary", f"otlp_{transport}") == 2


async def test_it_acknowledges_only_after_the_sink_returned(transport: str) -> None:
    taken: list[SpanBatch] = []

    def failing(batch: SpanBatch) -> None:
        if not taken:
            taken.append(batch)
            raise RuntimeError("a bug")
        taken.append(batch)

    async with receiving(transport, sink=failing) as bench:
        answer = await bench.sender.send(body(span()))
        assert (answer.code, answer.message) == ("INTERNAL", "internal error")
        assert bench.rejected("internal") == 1
        assert bench.received() == 0
        assert (await bench.sender.send(body(span()))).code == "OK"


async def test_a_taken_port_is_a_permanent_error_that_names_the_address_and_what_to_set(transport: str) -> None:
    kind, _ = RECEIVERS[transport]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        receiver = kind(ReceiverSettings(port=port), Codec(MARKERS), SpanLog(), CountingMetrics())
        with pytest.raises(PermanentError, match=f"127.0.0.1:{port}: .*receivers.{transport}.port"):
            await receiver.start()
        await receiver.stop(0)


async def test_a_second_receiver_cannot_share_the_port(transport: str) -> None:
    kind, _ = RECEIVERS[transport]
    async with receiving(transport) as bench:
        second = kind(ReceiverSettings(port=bench.receiver.port), Codec(MARKERS), SpanLog(), CountingMetrics())
        with pytest.raises(PermanentError, match=str(bench.receiver.port)):
            await second.start()


async def test_stop_before_start_and_twice_is_no_error(transport: str) -> None:
    kind, _ = RECEIVERS[transport]
    receiver = kind(ReceiverSettings(port=0), Codec(MARKERS), SpanLog(), CountingMetrics())
    await receiver.stop(0)
    await receiver.start()
    await receiver.stop(0)
    await receiver.stop(0)


async def test_after_stop_nobody_listens(transport: str) -> None:
    async with receiving(transport) as bench:
        await bench.receiver.stop(0)
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", bench.receiver.port)


async def test_the_token_of_an_environment_variable_is_asked_for(
    transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTLP_TOKEN", "from-env")
    async with receiving(transport, token_env="OTLP_TOKEN", token="from-env") as bench:
        assert (await bench.sender.send(body(span()))).code == "OK"
    async with receiving(transport, token_env="OTLP_TOKEN") as bench:
        assert (await bench.sender.send(body(span()))).code == "UNAUTHENTICATED"


async def test_a_missing_environment_variable_stops_the_start(transport: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTLP_TOKEN", raising=False)
    with pytest.raises(PermanentError, match="OTLP_TOKEN"):
        async with receiving(transport, token_env="OTLP_TOKEN"):
            pass


async def test_the_sdk_exporter_is_understood(transport: str) -> None:
    async with receiving(transport) as bench:
        port = bench.receiver.port
        exporters: list[SpanExporter] = (
            [GrpcExporter(endpoint=f"http://127.0.0.1:{port}", insecure=True)]
            if transport == "grpc"
            else [
                HttpExporter(endpoint=f"http://127.0.0.1:{port}/v1/traces", compression=compression)
                for compression in (Compression.NoCompression, Compression.Gzip)
            ]
        )
        for exporter in exporters:
            await asyncio.to_thread(_export_one, exporter)
        assert len(bench.sink.spans) == len(exporters)
        assert {kept.resource.service for kept in bench.sink.spans} == {"sdk-app"}


def _export_one(exporter: SpanExporter) -> None:
    provider = TracerProvider(resource=Resource.create({"service.name": "sdk-app"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer: trace.Tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("retrieve", attributes={MARKER: "RETRIEVER"}):
        pass
    provider.shutdown()


async def test_requests_that_come_at_once_are_all_taken(transport: str) -> None:
    async with receiving(transport) as bench:
        answers = await asyncio.gather(*(bench.sender.send(body(span(number))) for number in range(1, 201)))
        assert {answer.code for answer in answers} == {"OK"}
        assert len({kept.span_id for kept in bench.sink.spans}) == 200


async def test_a_request_under_way_is_finished_before_the_stop(transport: str) -> None:
    taken = asyncio.Event()

    def sink(_batch: SpanBatch) -> None:
        taken.set()

    async with receiving(transport, sink=sink) as bench:
        sending = asyncio.ensure_future(bench.sender.send(body(*(span(number) for number in range(1, 3000)))))
        await asyncio.wait_for(taken.wait(), 10)
        await bench.receiver.stop(5)
        assert (await sending).code == "OK"


async def test_garbage_by_the_thousand_leaves_it_working(transport: str) -> None:
    good = body(span(1), span(2, marked=False))
    async with receiving(transport) as bench:
        for cut in range(0, len(good), 3):
            await bench.sender.send(good[:cut])
            await bench.sender.send(good[:cut] + b"\xff\x00\x81" + good[cut + 3 :])
        assert (await bench.sender.send(good)).code == "OK"
