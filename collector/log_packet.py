"""Log events on their way between processes: spans with an id and events, and nothing else."""

from collections.abc import Iterable

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.log_codec import event_field
from collector.spans import LogEvent, SpanBatch
from collector.status import Reason, RefusedError
from collector.wire import head


def pack(events: Iterable[LogEvent]) -> bytes:
    """A serialized ExportTraceServiceRequest."""
    scope = b""
    for event in events:
        raw = head(1, len(event.trace_id)) + event.trace_id + head(2, len(event.span_id)) + event.span_id + event.raw
        scope += head(2, len(raw)) + raw
    group = head(2, len(scope)) + scope
    return head(1, len(group)) + group


def unpack(value: bytes) -> SpanBatch:
    """The events of a packet. Raises RefusedError for anything else."""
    try:
        request = ExportTraceServiceRequest.FromString(value)
    except DecodeError as error:
        raise RefusedError(Reason.DECODE_ERROR, "the message is no packet of log events") from error
    events = [
        LogEvent(span.trace_id, span.span_id, event_field(event), event.time_unix_nano)
        for group in request.resource_spans
        for scope in group.scope_spans
        for span in scope.spans
        for event in span.events
    ]
    return SpanBatch(received=len(events), events=events)
