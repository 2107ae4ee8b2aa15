"""OTLP requests, and senders that know no more than the protocol: the receivers' tests start from here."""

import base64
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
import grpc
from google.protobuf import json_format
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.codec import Codec
from collector.receivers.base import Receiver
from collector.receivers.otlp_grpc import METHOD, OtlpGrpcReceiver
from collector.receivers.otlp_http import OtlpHttpReceiver
from collector.receivers.settings import ReceiverSettings
from collector.spans import SpanSink
from tests.fakes import CountingMetrics, SpanLog

MARKER = "openinference.span.kind"
MARKERS = (MARKER.encode(), b"gen_ai.operation.name")
TRACE_ID = bytes(range(1, 17))
ROOT_ID = bytes(range(1, 9))
PROTOBUF, JSON = "application/x-protobuf", "application/json"
MIB = 1 << 20


def attribute(key: str, value: str | int | float | AnyValue) -> KeyValue:
    """A string or int attribute, or any other value as it is."""
    if isinstance(value, AnyValue):
        return KeyValue(key=key, value=value)
    if isinstance(value, str):
        return KeyValue(key=key, value=AnyValue(string_value=value))
    return KeyValue(
        key=key, value=AnyValue(int_value=value) if isinstance(value, int) else AnyValue(double_value=value)
    )


def span(number: int = 1, *, marked: bool = True, attributes: Sequence[KeyValue] = (), **fields: object) -> Span:
    """A valid child span, recognisable unless `marked` is False; `number` makes its id."""
    values: dict[str, object] = {
        "trace_id": TRACE_ID,
        "span_id": number.to_bytes(8, "big"),
        "parent_span_id": ROOT_ID,
        "name": "VectorStoreRetriever",
        "kind": Span.SPAN_KIND_INTERNAL,
        "start_time_unix_nano": 1_800_000_000_000_000_000,
        "end_time_unix_nano": 1_800_000_000_500_000_000,
    }
    marks = [attribute(MARKER, "RETRIEVER")] if marked else []
    return Span(**(values | fields), attributes=[*marks, *attributes])


def request(*spans: Span, service: str = "support-bot") -> ExportTraceServiceRequest:
    """One resource, one scope."""
    message = ExportTraceServiceRequest()
    resource_spans = message.resource_spans.add()
    resource_spans.resource.attributes.append(attribute("service.name", service))
    resource_spans.scope_spans.add().spans.extend(spans)
    return message


def body(*spans: Span) -> bytes:
    """A serialized request."""
    return request(*spans).SerializeToString()


def splice(good: Span, raw: bytes) -> bytes:
    """A request with one good span and one span that no library would serialize."""
    framed = _field(2, good.SerializeToString()) + _field(2, raw)
    return _field(1, _field(2, framed))


def _field(number: int, data: bytes) -> bytes:
    size, out = len(data), bytearray([number << 3 | 2])
    while size > 0x7F:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes(out) + bytes([size]) + data


def nested(levels: int) -> AnyValue:
    """An array in an array in an array ..."""
    value = AnyValue(string_value="x")
    for _ in range(levels):
        outer = AnyValue()
        outer.array_value.values.append(value)
        value = outer
    return value


def as_json(message: ExportTraceServiceRequest) -> bytes:
    """OTLP/JSON, by way of the generic mapping and then with hex ids."""
    document = json_format.MessageToDict(message, use_integers_for_enums=True)
    return json.dumps(_with_hex_ids(document)).encode()


def _with_hex_ids(node: object) -> object:
    if isinstance(node, dict):
        ids = ("traceId", "spanId", "parentSpanId")
        return {
            key: base64.b64decode(value).hex() if key in ids else _with_hex_ids(value) for key, value in node.items()
        }
    return [_with_hex_ids(item) for item in node] if isinstance(node, list) else node


@dataclass(frozen=True)
class Answer:
    """What a sender learns. `code` is a gRPC code name; over HTTP it is that of the status body."""

    code: str
    message: str = ""
    http: int | None = None
    rejected: int = 0
    partial: str = ""
    retry_after: float | None = None
    raw: bytes = field(default=b"", repr=False)


class GrpcSender:
    """Sends serialized requests over OTLP/gRPC."""

    transport = "grpc"

    def __init__(self, port: int, *, token: str | None = None, compression: grpc.Compression | None = None) -> None:
        self._channel = grpc.aio.insecure_channel(
            f"127.0.0.1:{port}", options=[("grpc.max_send_message_length", -1)], compression=compression
        )
        self._metadata = [("authorization", f"Bearer {token}")] if token else []
        self.call = self._channel.unary_unary(METHOD, request_serializer=None, response_deserializer=None)

    async def send(self, data: bytes) -> Answer:
        try:
            raw = await self.call(data, metadata=self._metadata, timeout=30)
        except grpc.aio.AioRpcError as error:
            return _grpc_failure(error)
        return _success(ExportTraceServiceResponse.FromString(raw), raw)

    async def aclose(self) -> None:
        await self._channel.close()


class HttpSender:
    """Sends serialized requests over OTLP/HTTP."""

    transport = "http"

    def __init__(self, port: int, *, token: str | None = None) -> None:
        self.url = f"http://127.0.0.1:{port}/v1/traces"
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(30))

    async def send(
        self, data: bytes, content_type: str | None = PROTOBUF, *, method: str = "POST", url: str = "", **headers: str
    ) -> Answer:
        """`headers` are given with underscores for dashes."""
        sent = self._headers | {name.replace("_", "-"): value for name, value in headers.items()}
        if content_type:
            sent["Content-Type"] = content_type
        skip = [] if content_type else ["Content-Type"]
        async with self.session.request(
            method, url or self.url, data=data, headers=sent, skip_auto_headers=skip
        ) as response:
            raw = await response.read()
            return _http_answer(response, raw)

    async def aclose(self) -> None:
        await self.session.close()


Sender = GrpcSender | HttpSender
RECEIVERS: dict[str, tuple[type[Receiver], type[Sender]]] = {
    "grpc": (OtlpGrpcReceiver, GrpcSender),
    "http": (OtlpHttpReceiver, HttpSender),
}


@dataclass
class Bench:
    """A receiver that runs, what it hands on and counts, and a sender."""

    sender: Sender
    sink: SpanLog
    metrics: CountingMetrics
    receiver: Receiver

    def rejected(self, reason: str) -> int:
        """Spans counted as rejected for the reason."""
        return self.metrics.count("spans_rejected", f"otlp_{self.sender.transport}", reason)

    def received(self) -> int:
        """Spans counted as received."""
        return self.metrics.count("spans_received", f"otlp_{self.sender.transport}")


@asynccontextmanager
async def receiving(
    transport: str, *, sink: SpanSink | None = None, token: str | None = None, **settings: object
) -> AsyncIterator[Bench]:
    """A receiver on a free port; `token` is what the sender presents."""
    kind, sender_kind = RECEIVERS[transport]
    log, metrics = SpanLog(), CountingMetrics()
    receiver = kind(ReceiverSettings(port=0, **settings), Codec(MARKERS), sink or log, metrics)
    await receiver.start()
    sender = sender_kind(receiver.port, token=token)
    try:
        yield Bench(sender, log, metrics, receiver)
    finally:
        await sender.aclose()
        await receiver.stop(0)


def _success(response: ExportTraceServiceResponse, raw: bytes, http: int | None = None) -> Answer:
    partial = response.partial_success
    return Answer("OK", "", http, partial.rejected_spans, partial.error_message, raw=raw)


def _grpc_failure(error: grpc.aio.AioRpcError) -> Answer:
    details = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
    status = Status.FromString(details) if isinstance(details, bytes) else Status(message=error.details() or "")
    return Answer(error.code().name, status.message, retry_after=_retry_info(status), raw=status.SerializeToString())


def _http_answer(response: aiohttp.ClientResponse, raw: bytes) -> Answer:
    is_json = response.content_type == JSON
    if response.status == 200:
        message = (
            json_format.Parse(raw, ExportTraceServiceResponse())
            if is_json
            else ExportTraceServiceResponse.FromString(raw)
        )
        return _success(message, raw, 200)
    status = json_format.Parse(raw, Status()) if is_json else Status.FromString(raw)
    wait = response.headers.get("Retry-After")
    return Answer(
        _code_name(status.code), status.message, response.status, retry_after=float(wait) if wait else None, raw=raw
    )


def _code_name(number: int) -> str:
    return next((code.name for code in grpc.StatusCode if code.value[0] == number), str(number))


def _retry_info(status: Status) -> float | None:
    for detail in status.details:
        info = RetryInfo()
        if detail.Unpack(info):
            return info.retry_delay.ToTimedelta().total_seconds()
    return None
