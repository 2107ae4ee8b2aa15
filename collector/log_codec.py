"""OTLP log records from bytes: those that hold what a model was asked and said become events of their spans.

Instrumentations put content into log records instead of spans where they are told to (`EVENT_ONLY`), or always. A
record names its span, and an event of a span has the same shape.
"""

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector import ids, wire
from collector.envelope import MAX_SPANS, Envelope, Scope
from collector.spans import LogEvent, SpanBatch
from collector.status import Reason

MARKER = b"gen_ai."
"""Records that hold no such key or name are not kept."""

_EVENTS = 11
"""The field of a span that holds its events."""

_CONTENT = "gen_ai.event.content"
_MESSAGES = {
    Reason.INVALID_UTF8: "a string of the log record is not valid UTF-8",
    Reason.TOO_DEEP: "the log record is nested too deep",
    Reason.DECODE_ERROR: "the log record is not a serialized opentelemetry.proto.logs.v1.LogRecord",
}


class LogCodec:
    """Turns bodies of log exports into batches of events. Safe to use from several threads."""

    def __init__(self, *, max_records: int = MAX_SPANS) -> None:
        self._max_records = max_records

    def decode(self, body: bytes) -> SpanBatch:
        """Decode a serialized ExportLogsServiceRequest, whose layers are those of a trace export.

        Raises RefusedError where it is none, or holds too many records. A bad record costs only itself; one that
        belongs to no span is none of ours.
        """
        batch = SpanBatch()
        envelope = Envelope(body, self._max_records, request="ExportLogsServiceRequest")
        for scope in envelope.scopes():
            _take(body, scope, batch)
        batch.received = envelope.received
        return batch


def event_field(event: Span.Event) -> bytes:
    """An event as the field that makes it one more event behind a serialized span."""
    raw: bytes = event.SerializeToString()
    return wire.head(_EVENTS, len(raw)) + raw


def _take(body: bytes, scope: Scope, batch: SpanBatch) -> None:
    for _, start, stop in scope.spans():
        if body.find(MARKER, start, stop) < 0:
            continue
        try:
            record = LogRecord.FromString(body[start:stop])
        except DecodeError as error:
            _reject(batch, str(error))
            continue
        # An id of another length means that the record belongs to no trace (logs.proto, LogRecord.trace_id).
        if ids.are_valid(record.trace_id, record.span_id, b""):
            at_ns = record.time_unix_nano or record.observed_time_unix_nano
            batch.events.append(LogEvent(record.trace_id, record.span_id, _event_field(record, at_ns), at_ns))


def _reject(batch: SpanBatch, error: str) -> None:
    reason = Reason.DECODE_ERROR
    if "UTF-8" in error:
        reason = Reason.INVALID_UTF8
    elif "MaxDepth" in error:
        reason = Reason.TOO_DEEP
    batch.rejected[reason] = batch.rejected.get(reason, 0) + 1
    batch.message = batch.message or _MESSAGES[reason]


def _event_field(record: LogRecord, at_ns: int) -> bytes:
    """The record as one more event behind a serialized span."""
    name = record.event_name or next(
        (pair.value.string_value for pair in record.attributes if pair.key == "event.name"), ""
    )
    event = Span.Event(time_unix_nano=at_ns, name=name, attributes=record.attributes)
    event.attributes.extend(_pairs(record.body))
    return event_field(event)


def _pairs(body: AnyValue) -> list[KeyValue]:
    """Earlier conventions hold the message in the record's body, as a mapping or as text."""
    if body.HasField("kvlist_value"):
        return list(body.kvlist_value.values)
    return [KeyValue(key=_CONTENT, value=body)] if body.HasField("string_value") else []
