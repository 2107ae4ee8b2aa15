"""Content that instrumentations put into log records: taken by both receivers, joined to its span before judging."""

import asyncio
import base64
import gzip
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from google.protobuf import json_format
from opentelemetry._logs import LogRecord as ApiLogRecord
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.trace import NonRecordingSpan, SpanContext, set_span_in_context

from alerts.exposition import Metrics
from collector.codec import Codec, decode_span
from collector.conventions.reader import TraceReader
from collector.log_codec import LogCodec
from collector.log_events import MAX_AGE_S, MAX_BYTES_PER_TRACE, LogEvents
from collector.receivers.base import LogPath
from collector.receivers.log_metrics import LogMetrics
from collector.receivers.otlp_grpc import LOGS_METHOD, OtlpGrpcReceiver
from collector.receivers.otlp_http import OtlpHttpReceiver
from collector.receivers.settings import ReceiverSettings
from collector.spans import ClosedTrace, LogEvent, SpanBatch
from collector.status import Reason
from tests.collector.handmade import ANSWER, QUESTION, TRACE_ID, Made, any_value, chain, closed, retriever
from tests.fakes import CountingMetrics, FakeClock, SpanLog
from tests.otlp import JSON, MARKERS, PROTOBUF, Answer, GrpcSender, HttpSender, attribute

DETAILS = "gen_ai.client.inference.operation.details"
CHAT = Made(3, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "fake-1"}, parent=1)
SAID = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
ASKED = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]

transports = pytest.mark.parametrize("transport", ["grpc", "http"])


def record(number: int = 3, *, marked: bool = True, **fields: object) -> LogRecord:
    """The log record of a chat span."""
    made: dict[str, object] = {"trace_id": TRACE_ID, "span_id": number.to_bytes(8, "big")}
    if marked:
        made["event_name"] = DETAILS
        content = {"gen_ai.input.messages": ASKED, "gen_ai.output.messages": SAID}
        made["attributes"] = [attribute(key, any_value(value)) for key, value in content.items()]
    return LogRecord(**(made | fields))


def request(*records: LogRecord) -> ExportLogsServiceRequest:
    message = ExportLogsServiceRequest()
    message.resource_logs.add().scope_logs.add().log_records.extend(records)
    return message


def events(*records: LogRecord) -> list[LogEvent]:
    return LogCodec().decode(request(*records).SerializeToString()).events


@dataclass
class Bench:
    """A receiver with a path for logs."""

    transport: str
    port: int
    sink: SpanLog
    metrics: Metrics

    async def send(self, data: bytes, content_type: str = PROTOBUF, **headers: str) -> Answer:
        if self.transport == "http":
            sender = HttpSender(self.port)
            try:
                return await sender.send(data, content_type, url=f"http://127.0.0.1:{self.port}/v1/logs", **headers)
            finally:
                await sender.aclose()
        sender = GrpcSender(self.port)
        sender.call = sender._channel.unary_unary(LOGS_METHOD, request_serializer=None, response_deserializer=None)
        try:
            return await sender.send(data)
        finally:
            await sender.aclose()

    def count(self, series: str) -> float:
        lines = self.metrics.render()[0].decode().splitlines()
        return next(float(line.split()[-1]) for line in lines if line.startswith(f"groundwatch_{series}"))

    def rejected(self, reason: str) -> float:
        return self.count(f'log_records_rejected_total{{reason="{reason}",receiver="otlp_{self.transport}"}}')

    def received(self) -> float:
        return self.count(f'log_records_received_total{{receiver="otlp_{self.transport}"}}')


@asynccontextmanager
async def receiving(transport: str, **settings: object) -> AsyncIterator[Bench]:
    kind = {"grpc": OtlpGrpcReceiver, "http": OtlpHttpReceiver}[transport]
    metrics, sink = Metrics(FakeClock()), SpanLog()
    logs = LogPath(LogCodec(), sink, LogMetrics(metrics.series, [f"otlp_{transport}"], Reason))
    receiver = kind(ReceiverSettings(port=0, **settings), Codec(MARKERS), SpanLog(), CountingMetrics(), logs)
    await receiver.start()
    try:
        yield Bench(transport, receiver.port, sink, metrics)
    finally:
        await receiver.stop(0)


def taken(bench: Bench) -> list[LogEvent]:
    return [event for batch in bench.sink.batches for event in batch.events]


@transports
async def test_records_with_a_genai_marker_are_kept_and_all_are_acknowledged(transport: str) -> None:
    async with receiving(transport) as bench:
        plain = record(4, marked=False, body=AnyValue(string_value="GET /"))
        homeless = record(trace_id=b"", span_id=b"")
        answer = await bench.send(request(record(), plain, homeless).SerializeToString())
        assert (answer.code, answer.rejected, answer.raw) == ("OK", 0, b"")
        assert [(event.trace_id, event.span_id) for event in taken(bench)] == [(TRACE_ID, record().span_id)]
        assert bench.received() == 3
        assert bench.count(f'log_records_ordinary_total{{receiver="otlp_{transport}"}}') == 2


@transports
async def test_a_record_that_cannot_be_read_costs_only_itself(transport: str) -> None:
    bad = request(record(), record(4, event_name="gen_ai.QQQQ")).SerializeToString()
    async with receiving(transport) as bench:
        answer = await bench.send(bad.replace(b"QQQQ", b"\xc3\x28\xff\xfe"))
        assert (answer.code, answer.rejected) == ("OK", 1)
        assert "log record" in answer.partial
        assert len(taken(bench)) == 1
        assert bench.rejected("invalid_utf8") == 1


@transports
async def test_001_garbage_is_refused_and_named(transport: str) -> None:
    async with receiving(transport) as bench:
        answer = await bench.send(request(record()).SerializeToString()[:-3])
        assert answer.code == "INVALID_ARGUMENT"
        assert "ExportLogsServiceRequest" in answer.message
        assert bench.rejected("decode_error") == 1
        assert (await bench.send(b"")).code == "OK"


@transports
async def test_016_a_body_over_the_limit_is_refused(transport: str) -> None:
    async with receiving(transport, max_body_bytes=2048) as bench:
        answer = await bench.send(request(*(record(number) for number in range(1, 99))).SerializeToString())
        assert answer.code == "RESOURCE_EXHAUSTED"
        assert taken(bench) == []


@transports
async def test_040_the_token_is_asked_for(transport: str) -> None:
    async with receiving(transport, token="secret") as bench:
        assert (await bench.send(request(record()).SerializeToString())).code == "UNAUTHENTICATED"
        assert taken(bench) == []


async def test_json_and_gzip_are_read_over_http() -> None:
    document = json_format.MessageToDict(request(record()), use_integers_for_enums=True)
    told = document["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]
    for key in ("traceId", "spanId"):
        told[key] = base64.b64decode(told[key]).hex()
    async with receiving("http") as bench:
        assert (await bench.send(json.dumps(document).encode(), JSON)).http == 200
        packed = gzip.compress(request(record()).SerializeToString())
        assert (await bench.send(packed, Content_Encoding="gzip")).http == 200
        assert taken(bench) == events(record()) * 2


async def test_a_partial_success_in_json_speaks_of_log_records() -> None:
    document = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"eventName": "gen_ai.\ud800"}]}]}]}
    async with receiving("http") as bench:
        sender = HttpSender(bench.port)
        url = f"http://127.0.0.1:{bench.port}/v1/logs"
        async with sender.session.post(url, json=document) as response:
            told = json_format.Parse(await response.read(), ExportLogsServiceResponse())
        await sender.aclose()
        assert told.partial_success.rejected_log_records == 1


@transports
async def test_the_sdk_exporter_is_understood(transport: str) -> None:
    async with receiving(transport) as bench:
        exporter = (
            GrpcExporter(endpoint=f"http://127.0.0.1:{bench.port}", insecure=True)
            if transport == "grpc"
            else HttpExporter(endpoint=f"http://127.0.0.1:{bench.port}/v1/logs")
        )
        await asyncio.to_thread(log_one, exporter, {"gen_ai.output.messages": SAID})
        (event,) = taken(bench)
        assert (event.trace_id, event.span_id) == (TRACE_ID, record().span_id)


def log_one(exporter: GrpcExporter | HttpExporter, content: Mapping[str, object]) -> None:
    """Emit the record of a chat span as an application does."""
    provider = LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    context = SpanContext(int.from_bytes(TRACE_ID, "big"), 3, is_remote=False)
    provider.get_logger("app").emit(
        ApiLogRecord(
            event_name=DETAILS,
            attributes={key: json.dumps(value) for key, value in content.items()},
            context=set_span_in_context(NonRecordingSpan(context)),
        )
    )
    provider.shutdown()


class Joined:
    """A buffer of events and its counters."""

    def __init__(self, **bounds: int) -> None:
        self.clock = FakeClock()
        self.metrics = Metrics(self.clock)
        self.events = LogEvents(self.metrics.series, self.clock, **bounds)

    def take(self, some: Sequence[LogEvent]) -> None:
        self.events.take(SpanBatch(received=len(some), events=list(some)))

    def join(self, *spans: Made) -> ClosedTrace:
        return self.events.join(closed(*spans))

    def count(self, series: str) -> float:
        lines = self.metrics.render()[0].decode().splitlines()
        return next(float(line.split()[-1]) for line in lines if line.startswith(f"groundwatch_{series}"))


def test_the_answer_of_a_record_is_read_as_if_its_span_told_it() -> None:
    spans = (chain(said=None, asked=None), retriever(2, "Refunds within 30 days.", asked=None), CHAT)
    assert TraceReader().read(closed(*spans)).answer is None
    joined = Joined()
    joined.take(events(record()))
    sample = TraceReader().read(joined.join(*spans))
    assert (sample.question, sample.answer) == (QUESTION, ANSWER)
    assert joined.count("log_events_joined_total") == 1


@pytest.mark.parametrize("named", ["attribute", "field"])
def test_records_of_earlier_conventions_hold_the_message_in_their_body(named: str) -> None:
    def told(name: str, said: object) -> LogRecord:
        where = {"event_name": name} if named == "field" else {"attributes": [attribute("event.name", name)]}
        return record(marked=False, body=any_value(said), **where)

    joined = Joined()
    asked = told("gen_ai.user.message", {"content": QUESTION})
    said = told("gen_ai.choice", {"index": 0, "message": {"role": "assistant", "content": ANSWER}})
    joined.take(events(asked, said))
    sample = TraceReader().read(joined.join(chain(said=None, asked=None), retriever(2, "30 days", asked=None), CHAT))
    assert (sample.question, sample.answer) == (QUESTION, ANSWER)


def test_an_event_goes_to_its_span_alone_and_once() -> None:
    joined = Joined()
    joined.take(events(record(), record()))
    joined.take(events(record()))
    trace = joined.join(chain(), CHAT)
    assert [len(decode_span(kept.raw).events) for kept in trace.spans] == [0, 1]
    assert [len(decode_span(kept.raw).events) for kept in joined.join(chain(), CHAT).spans] == [0, 1]


def test_a_record_of_a_span_that_is_not_ours_is_counted_and_changes_nothing() -> None:
    joined = Joined()
    joined.take(events(record(77)))
    assert [kept.raw for kept in joined.join(chain(), CHAT).spans] == [chain().raw(), CHAT.raw()]
    assert joined.count('log_events_dropped_total{reason="no_span"}') == 1
    assert joined.count("log_events_joined_total") == 0


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_the_order_of_arrival_does_not_matter(order: tuple[int, ...]) -> None:
    turns = [("user", "What is a kettle?"), ("assistant", "A kettle boils water."), ("user", QUESTION)]
    told = [
        record(marked=False, event_name=f"gen_ai.{who}.message", body=any_value({"content": text}), time_unix_nano=at)
        for at, (who, text) in enumerate(turns, start=1)
    ]
    joined = Joined()
    for number in order:
        joined.take(events(told[number]))
    sample = TraceReader().read(joined.join(chain(asked=None), retriever(2, "30 days", asked=None), CHAT))
    assert sample.question == QUESTION


def test_events_of_traces_that_never_come_go_with_time_and_are_counted() -> None:
    joined = Joined()
    joined.take(events(record(8)))
    joined.clock.advance(MAX_AGE_S)
    joined.take([])
    assert joined.count('log_events_dropped_total{reason="no_span"}') == 1
    assert [kept.raw for kept in joined.join(Made(8, {})).spans] == [Made(8, {}).raw()]


def test_051_the_oldest_go_above_the_bound_in_bytes() -> None:
    joined = Joined(max_bytes=100_000)
    for number in range(1, 1000):
        joined.take([LogEvent(number.to_bytes(16, "big"), b"\1" * 8, b"x" * 1000)])
    assert joined.count('log_events_dropped_total{reason="no_span"}') > 900
    assert joined.events._bytes <= 100_000


def test_050_one_trace_cannot_fill_the_buffer() -> None:
    joined = Joined()
    many = [LogEvent(TRACE_ID, b"\1" * 8, number.to_bytes(4, "big") * 25_000) for number in range(100)]
    joined.take(many)
    assert joined.events._bytes <= MAX_BYTES_PER_TRACE
    assert joined.count('log_events_dropped_total{reason="trace_cap"}') > 50


@transports
async def test_011_a_receiver_without_a_path_for_logs_takes_none(transport: str) -> None:
    kind = {"grpc": OtlpGrpcReceiver, "http": OtlpHttpReceiver}[transport]
    receiver = kind(ReceiverSettings(port=0), Codec(MARKERS), SpanLog(), CountingMetrics())
    await receiver.start()
    try:
        bench = Bench(transport, receiver.port, SpanLog(), Metrics(FakeClock()))
        answer = await bench.send(b"")
        assert answer.code in ("UNIMPLEMENTED", "NOT_FOUND")
    finally:
        await receiver.stop(0)
