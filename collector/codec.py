"""OTLP spans from bytes: cheaply at receipt, fully when a trace is judged."""

from collections.abc import Iterable, Sequence
from itertools import filterfalse
from operator import attrgetter

from google.protobuf.message import DecodeError

from collector import ids, wire
from collector.attributes import MAX_VALUE_BYTES, Attributes
from collector.envelope import MAX_SPANS, Bounds, Envelope
from collector.markers import Markers
from collector.resources import OURSELVES, read_resource
from collector.spans import Resource, SpanBatch, WireSpan
from collector.status import Reason
from evaluators.errors import PermanentError

CHECKED_AT_ONCE = 32
"""Spans parsed in one call: enough to share its cost, few enough to stay in the processor's cache."""

MAX_EVENTS = 1000
"""Events of a span that are read; a serialized one can be four bytes."""

_MESSAGES = {
    Reason.INVALID_ID: "trace_id must be 16 bytes and span_id 8, not all zero; parent_span_id must be empty or 8 bytes",
    Reason.INVALID_UTF8: "a string of the span is not valid UTF-8",
    Reason.TOO_DEEP: "an attribute of the span is nested too deep",
    Reason.DECODE_ERROR: "the span is not a serialized opentelemetry.proto.trace.v1.Span",
}

_header = attrgetter("trace_id", "span_id", "parent_span_id", "end_time_unix_nano")


class Codec:
    """Turns request bodies into batches. One codec serves all receivers; it is safe to use from several threads."""

    def __init__(self, markers: Iterable[bytes], *, max_spans: int = MAX_SPANS) -> None:
        self._markers = Markers(markers)
        self._max_spans = max_spans

    def decode(self, body: bytes) -> SpanBatch:
        """Decode a serialized ExportTraceServiceRequest.

        Raises RefusedError where it is none, or holds more than `max_spans` spans. A bad span costs only itself.
        """
        batch = SpanBatch()
        envelope = Envelope(body, self._max_spans)
        for scope in envelope.scopes():
            # An instrumentation library has a scope of its own, so most scopes hold no marker at all.
            # Our own spans come back where the trace backend stands behind a Collector: they are about a judged trace.
            if self._markers.occur_in_scope(body, scope.at, scope.end) and not _is_ours(scope.resource):
                marked, ordinary = self._markers.split(body, scope.spans())
                _check_ordinary([body[start:stop] for _, start, stop in ordinary], batch)
                _take(body, marked, read_resource(scope.resource), batch)
            else:
                _check_ordinary(scope.copies(), batch)
        batch.received = envelope.received
        return batch


def _is_ours(resource: bytes) -> bool:
    return read_resource(resource).service == OURSELVES


def _check_ordinary(spans: Sequence[bytes], batch: SpanBatch) -> None:
    """Spans that nobody will read: only their ids must be right, and who has no parent ends its trace."""
    for raw in filterfalse(ids.is_plain_child, spans):
        if root := ids.match_plain_root(raw):
            batch.ordinary_roots.append(root[1])
        else:
            _check_unusual(raw, batch)


def _check_unusual(raw: bytes, batch: SpanBatch) -> None:
    try:
        span = wire.Header.FromString(raw)
    except DecodeError:
        _reject(batch, Reason.DECODE_ERROR)
        return
    if not ids.are_valid(span.trace_id, span.span_id, span.parent_span_id):
        _reject(batch, Reason.INVALID_ID)
    elif span.parent_span_id in (b"", ids.NO_PARENT):
        batch.ordinary_roots.append(span.trace_id)


def _take(body: bytes, spans: list[Bounds], resource: Resource, batch: SpanBatch) -> None:
    for at in range(0, len(spans), CHECKED_AT_ONCE):
        _take_some(body, spans[at : at + CHECKED_AT_ONCE], resource, batch)


def _take_some(body: bytes, spans: list[Bounds], resource: Resource, batch: SpanBatch) -> None:
    """Take spans together if none of them is faulty, else look for those that are by halves."""
    checked = _check(body, spans)
    if not isinstance(checked, Reason):
        _keep(body, spans, checked, resource, batch)
    elif len(spans) == 1:
        _reject(batch, checked)
    else:
        half = len(spans) // 2
        _take_some(body, spans[:half], resource, batch)
        _take_some(body, spans[half:], resource, batch)


def _keep(
    body: bytes, spans: list[Bounds], checked: Sequence[wire.Message], resource: Resource, batch: SpanBatch
) -> None:
    take = batch.spans.append
    for (_, start, stop), (trace_id, span_id, parent_id, end_ns) in zip(spans, map(_header, checked), strict=True):
        if not ids.are_valid(trace_id, span_id, parent_id):
            _reject(batch, Reason.INVALID_ID)
            continue
        if parent_id == ids.NO_PARENT:
            parent_id = b""
        # What WireSpan(...) does, without its two Python calls.
        take(tuple.__new__(WireSpan, (trace_id, span_id, parent_id, end_ns != 0, body[start:stop], resource)))


def _reject(batch: SpanBatch, reason: Reason) -> None:
    batch.rejected[reason] = batch.rejected.get(reason, 0) + 1
    batch.message = batch.message or _MESSAGES[reason]


def _check(body: bytes, spans: list[Bounds]) -> Sequence[wire.Message] | Reason:
    """Parse the spans, or tell what is wrong with one of them; the parser tells the kinds apart in its message only.

    They are checked within a request, as the depth of nesting counts from the outermost message.
    """
    view = memoryview(body)
    fields = [view[field_at:stop] for field_at, _, stop in spans]
    size = sum(map(len, fields))
    first, last = spans[0][0], spans[-1][2]
    if last - first == size:
        fields = [view[first:last]]
    scope_head = wire.head(2, size)
    resource_head = wire.head(1, len(scope_head) + size)
    try:
        checked = wire.Checked.FromString(b"".join([resource_head, scope_head, *fields]))
    except DecodeError as error:
        text = str(error)
        if "UTF-8" in text:
            return Reason.INVALID_UTF8
        return Reason.TOO_DEEP if "MaxDepth" in text else Reason.DECODE_ERROR
    parsed: Sequence[wire.Message] = checked.resource_spans[0].scope_spans[0].spans
    return parsed


class Span:
    """One span, read: what the conventions and the sample builder look at.

    Ids are raw bytes (16, 8, and 8 or 0 for `parent_id`), times nanoseconds of the sender's clock, `kind` and
    `status_code` the numbers of trace.proto (status 2 is an error). `dropped_attributes` is what the sender's own SDK
    left out; `attributes.truncated` says what was left out here.
    """

    __slots__ = (
        "_message",
        "_oversize",
        "attributes",
        "dropped_attributes",
        "end_ns",
        "kind",
        "name",
        "parent_id",
        "span_id",
        "start_ns",
        "status_code",
        "trace_id",
    )

    def __init__(self, raw: bytes) -> None:
        message = wire.Span.FromString(raw)
        self._message = message
        self.trace_id: bytes = message.trace_id
        self.span_id: bytes = message.span_id
        self.parent_id: bytes = message.parent_span_id
        self.name: str = message.name
        self.kind: int = message.kind
        self.start_ns: int = message.start_time_unix_nano
        self.end_ns: int = message.end_time_unix_nano
        self.status_code: int = message.status.code
        self.dropped_attributes: int = message.dropped_attributes_count
        self._oversize = len(raw) > MAX_VALUE_BYTES
        self.attributes = Attributes(message.attributes, oversize=self._oversize)

    @property
    def events(self) -> list[tuple[str, Attributes]]:
        """The span's first MAX_EVENTS events in order, each with its name and attributes."""
        events = self._message.events[:MAX_EVENTS]
        return [(event.name, Attributes(event.attributes, oversize=self._oversize)) for event in events]


def decode_span(raw: bytes) -> Span:
    """Read one serialized `opentelemetry.proto.trace.v1.Span`.

    Raises PermanentError where the bytes are none; spans that a receiver accepted never do.
    """
    try:
        return Span(raw)
    except DecodeError as error:
        raise PermanentError("not a serialized OTLP span") from error
