"""Spans and log events into a topic, one message per trace and request, keyed by trace id.

Both go into one topic, because only there it is certain that one worker gets all of a trace.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from aiokafka.errors import KafkaError, MessageSizeTooLargeError
from opentelemetry.proto.resource.v1.resource_pb2 import Resource as ProtoResource
from opentelemetry.proto.trace.v1.trace_pb2 import Span as ProtoSpan

from collector.log_packet import pack
from collector.receivers.kafka_messages import KIND, LOG_EVENTS
from collector.spans import LogEvent, Resource, SpanBatch, WireSpan
from collector.status import Reason, RefusedError
from collector.streams.metrics import StreamMetrics
from collector.streams.settings import StreamSettings
from collector.streams.writer import Writer
from collector.wire import head
from evaluators.errors import RetryableError

MAX_PENDING = 20_000
REMEMBERED_TRACES = 100_000
"""Traces with recognised spans: of them alone it is told that their root has ended."""

MAX_REFUSED = 1_000
"""Traces that are larger than a broker takes: what comes of them is left out, so that the rest of a request passes."""


class _Message(NamedTuple):
    trace_id: bytes
    value: bytes
    headers: list[tuple[str, bytes]]


class SpanProducer:
    """A receiver's sink: `batch.stored` ends once the brokers have all of the batch."""

    def __init__(self, settings: StreamSettings, writer: Writer, metrics: StreamMetrics) -> None:
        self._topic = settings.spans_topic
        self._writer = writer
        self._metrics = metrics
        self._pending = 0
        self._seen: OrderedDict[bytes, None] = OrderedDict()
        self._refused: OrderedDict[bytes, None] = OrderedDict()
        metrics.expect(self._topic)

    def take(self, batch: SpanBatch) -> None:
        """Begin to write; raises RetryableError and has taken nothing."""
        if not self._writer.connected or self._pending > MAX_PENDING:
            raise RetryableError("Kafka cannot keep up: try again", retry_after=1.0)
        messages = [_Message(trace_id, value, []) for trace_id, value in self._requests(batch).items()]
        messages += _log_events(batch.events)
        wanted = [one for one in messages if one.trace_id not in self._refused]
        self._metrics.message(self._topic, "dropped", len(messages) - len(wanted))
        if wanted:
            batch.stored = asyncio.ensure_future(self._write(wanted))

    def _requests(self, batch: SpanBatch) -> dict[bytes, bytes]:
        by_trace: dict[bytes, list[WireSpan]] = {}
        for span in batch.spans:
            by_trace.setdefault(span.trace_id, []).append(span)
        requests = {trace_id: _request(spans) for trace_id, spans in by_trace.items()}
        self._remember(requests)
        for trace_id in batch.ordinary_roots:
            if trace_id in self._seen:
                # Messages merge by standing one after the other, as all protobuf does.
                requests[trace_id] = requests.get(trace_id, b"") + _root(trace_id)
        return requests

    def _remember(self, trace_ids: dict[bytes, bytes]) -> None:
        for trace_id in trace_ids:
            self._seen[trace_id] = None
            self._seen.move_to_end(trace_id)
        while len(self._seen) > REMEMBERED_TRACES:
            self._seen.popitem(last=False)

    async def _write(self, messages: list[_Message]) -> None:
        self._count(len(messages))
        try:
            errors = await self._send(messages)
        finally:
            self._count(-len(messages))
        too_large = [one for one, error in errors if isinstance(error, MessageSizeTooLargeError)]
        self._metrics.message(self._topic, "written", len(messages) - len(errors))
        self._metrics.message(self._topic, "dropped", len(too_large))
        self._refuse(too_large)
        if len(errors) > len(too_large):
            self._metrics.message(self._topic, "failed", len(errors) - len(too_large))
            raise RetryableError("Kafka did not take the spans: try again", retry_after=1.0) from errors[-1][1]
        if too_large:
            message = f"{len(too_large)} traces are larger than Kafka takes: raise max.message.bytes of {self._topic}"
            raise RefusedError(Reason.TOO_LARGE, message)

    async def _send(self, messages: list[_Message]) -> list[tuple[_Message, BaseException]]:
        """Those that were not written, and why."""
        sent: list[tuple[_Message, Awaitable[Any]]] = []
        errors: list[tuple[_Message, BaseException]] = []
        for one in messages:
            key, headers = one.trace_id.hex().encode(), one.headers or None
            try:
                sent.append((one, await self._writer.send(self._topic, one.value, key=key, headers=headers)))
            except (KafkaError, RetryableError) as error:
                errors.append((one, error))
        results = await asyncio.gather(*(future for _, future in sent), return_exceptions=True)
        failed = zip((one for one, _ in sent), results, strict=True)
        return errors + [(one, result) for one, result in failed if isinstance(result, BaseException)]

    def _refuse(self, messages: list[_Message]) -> None:
        for one in messages:
            self._refused[one.trace_id] = None
        while len(self._refused) > MAX_REFUSED:
            self._refused.popitem(last=False)

    def _count(self, change: int) -> None:
        self._pending += change
        self._metrics.pending(self._topic, self._pending)


def _log_events(events: list[LogEvent]) -> list[_Message]:
    by_trace: dict[bytes, list[LogEvent]] = {}
    for event in events:
        by_trace.setdefault(event.trace_id, []).append(event)
    return [_Message(trace_id, pack(some), [(KIND, LOG_EVENTS)]) for trace_id, some in by_trace.items()]


def _request(spans: list[WireSpan]) -> bytes:
    """A serialized ExportTraceServiceRequest of spans with their resources."""
    request = b""
    for resource, some in groupby(spans, key=lambda span: span.resource):
        scope = b"".join(head(2, len(span.raw)) + span.raw for span in some)
        own = _resource(resource)
        group = head(1, len(own)) + own + head(2, len(scope)) + scope
        request += head(1, len(group)) + group
    return request


def _root(trace_id: bytes) -> bytes:
    """A request that says only that the root of a trace has ended."""
    span = ProtoSpan(trace_id=trace_id, span_id=trace_id[8:] if any(trace_id[8:]) else trace_id[:8], name="root")
    span.end_time_unix_nano = 1
    raw = span.SerializeToString()
    scope = head(2, len(raw)) + raw
    group = head(2, len(scope)) + scope
    return head(1, len(group)) + group


@lru_cache(maxsize=1024)
def _resource(resource: Resource) -> bytes:
    message = ProtoResource()
    for key, value in resource.attributes.items():
        message.attributes.add(key=key).value.string_value = value
    return bytes(message.SerializeToString())
