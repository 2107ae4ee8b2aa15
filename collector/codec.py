"""OTLP spans from bytes: cheaply at receipt, fully when a trace is judged."""

from collections.abc import Iterable, Sequence
from itertools import filterfalse

from google.protobuf.message import DecodeError

from collector import wire
from collector.attributes import MAX_VALUE_BYTES, Attributes
from collector.bounds import check_count, malformed
from collector.header import is_plain_child, read_header
from collector.markers import Markers
from collector.resources import read_resource
from collector.spans import Resource, SpanBatch, WireSpan
from collector.status import Reason, RefusedError
from evaluators.errors import PermanentError

MAX_SPANS = 100_000
UNCOUNTED_BYTES = 4 << 20
"""Below this size even a body of empty spans is cheaper to parse than a good one is to walk."""

_MESSAGES = {
    Reason.INVALID_ID: "trace_id must be 16 bytes and span_id 8, not all zero; parent_span_id must be empty or 8 bytes",
    Reason.INVALID_UTF8: "a string of the span is not valid UTF-8",
    Reason.TOO_DEEP: "an attribute of the span is nested too deep",
    Reason.DECODE_ERROR: "the span is not a serialized opentelemetry.proto.trace.v1.Span",
}


class Codec:
    """Turns request bodies into batches. One codec serves all receivers; it is safe to use from several threads."""

    def __init__(self, markers: Iterable[bytes], *, max_spans: int = MAX_SPANS) -> None:
        self._markers = Markers(markers)
        self._max_spans = max_spans

    def decode(self, body: bytes) -> SpanBatch:
        """Decode a serialized ExportTraceServiceRequest.

        Raises RefusedError where it is none, or holds more than `max_spans` spans. A bad span costs only itself.
        """
        if len(body) > UNCOUNTED_BYTES:
            check_count(body, self._max_spans)
        try:
            request = wire.Request.FromString(body)
        except DecodeError:
            raise malformed() from None
        batch = SpanBatch(received=self._count(request))
        groups: list[tuple[Sequence[bytes], Resource]] = []
        for resource_spans in request.resource_spans:
            for scope_spans in resource_spans.scope_spans:
                if spans := list(scope_spans.spans):
                    marked, ordinary = self._markers.split(spans)
                    _check_ordinary(ordinary, batch)
                    if marked:
                        groups.append((marked, read_resource(resource_spans.resource)))
        if groups:
            _take(groups, body, batch)
        return batch

    def _count(self, request: wire.Message) -> int:
        count = sum(len(scope.spans) for resource in request.resource_spans for scope in resource.scope_spans)
        if count > self._max_spans:
            raise RefusedError(
                Reason.TOO_MANY_SPANS, f"more than {self._max_spans} spans in one request: send smaller batches"
            )
        return count


def _check_ordinary(spans: Sequence[bytes], batch: SpanBatch) -> None:
    """Spans that nobody will read: only their ids must be right, and who has no parent ends its trace."""
    for raw in filterfalse(is_plain_child, spans):
        header = read_header(raw)
        if header is None:
            _reject(batch, Reason.INVALID_ID)
        elif not header[2] and header[3]:
            batch.ordinary_roots.append(header[0])


def _take(groups: list[tuple[Sequence[bytes], Resource]], body: bytes, batch: SpanBatch) -> None:
    all_valid = _fault(_checkable(groups, body)) is None
    for spans, resource in groups:
        for raw in spans:
            fault = None if all_valid else _fault(_request([raw]))
            if fault is not None:
                _reject(batch, fault)
            elif header := read_header(raw):
                # What WireSpan(...) does, without its two Python calls.
                batch.spans.append(tuple.__new__(WireSpan, (*header, raw, resource)))
            else:
                _reject(batch, Reason.INVALID_ID)


def _checkable(groups: list[tuple[Sequence[bytes], Resource]], body: bytes) -> bytes:
    """A request with all the spans to check: the body itself where that is hardly more."""
    spans = [raw for group, _ in groups for raw in group]
    return body if 2 * sum(map(len, spans)) > len(body) else _request(spans)


def _reject(batch: SpanBatch, reason: Reason) -> None:
    batch.rejected[reason] = batch.rejected.get(reason, 0) + 1
    batch.message = batch.message or _MESSAGES[reason]


def _request(spans: list[bytes]) -> bytes:
    """A request of these spans alone: the depth limit counts from the outermost message."""
    request = wire.Request()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    return bytes(request.SerializeToString())


def _fault(request: bytes) -> Reason | None:
    """What is wrong with some span of the request; the parser tells the kinds apart in its message only."""
    try:
        wire.Checked.FromString(request)
    except DecodeError as error:
        text = str(error)
        if "UTF-8" in text:
            return Reason.INVALID_UTF8
        return Reason.TOO_DEEP if "MaxDepth" in text else Reason.DECODE_ERROR
    return None


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
        """The span's events in order, each with its name and attributes."""
        return [(event.name, Attributes(event.attributes, oversize=self._oversize)) for event in self._message.events]


def decode_span(raw: bytes) -> Span:
    """Read one serialized `opentelemetry.proto.trace.v1.Span`.

    Raises PermanentError where the bytes are none; spans that a receiver accepted never do.
    """
    try:
        return Span(raw)
    except DecodeError as error:
        raise PermanentError("not a serialized OTLP span") from error
