"""OTLP spans from bytes: cheaply at receipt, fully when a trace is judged."""

from collections.abc import Iterable, Sequence
from itertools import filterfalse
from operator import attrgetter

from google.protobuf.message import DecodeError

from collector import wire
from collector.attributes import MAX_VALUE_BYTES, Attributes
from collector.bounds import check_groups, check_spans, malformed, too_many
from collector.ids import check_ids, is_plain_child, match_plain_root
from collector.markers import Markers
from collector.resources import read_resource
from collector.spans import Resource, SpanBatch, WireSpan
from collector.status import Reason
from evaluators.errors import PermanentError

MAX_SPANS = 100_000
MAX_GROUPS = 10_000
"""Resources, and scopes, of one request: each costs an object, whether it holds a span or not."""

# Below these sizes a body is cheaper to parse, whatever it holds, than a good one is to walk.
UNCOUNTED_GROUP_BYTES = 256 << 10
UNCOUNTED_SPAN_BYTES = 4 << 20

_MESSAGES = {
    Reason.INVALID_ID: "trace_id must be 16 bytes and span_id 8, not all zero; parent_span_id must be empty or 8 bytes",
    Reason.INVALID_UTF8: "a string of the span is not valid UTF-8",
    Reason.TOO_DEEP: "an attribute of the span is nested too deep",
    Reason.DECODE_ERROR: "the span is not a serialized opentelemetry.proto.trace.v1.Span",
}

_Marked = tuple[bytes, Resource]
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
        if len(body) > UNCOUNTED_SPAN_BYTES:
            check_spans(body, self._max_spans)
        elif len(body) > UNCOUNTED_GROUP_BYTES:
            check_groups(body, MAX_GROUPS)
        try:
            request = wire.Request.FromString(body)
        except DecodeError:
            raise malformed() from None
        batch = SpanBatch()
        marked: list[_Marked] = []
        groups = 0
        for resource_spans in _few(request.resource_spans):
            for scope_spans in _few(resource_spans.scope_spans, groups):
                groups += 1
                self._sort(scope_spans.spans, resource_spans, batch, marked)
        _take_marked(marked, body, batch)
        return batch

    def _sort(
        self, spans: Sequence[bytes], resource_spans: wire.Message, batch: SpanBatch, marked: list[_Marked]
    ) -> None:
        batch.received += len(spans)
        if batch.received > self._max_spans:
            raise too_many(self._max_spans, "spans")
        if not spans:
            return
        ours, others = self._markers.split(list(spans))
        _check_ordinary(others, batch)
        if ours:
            resource = read_resource(resource_spans.resource)
            marked += [(raw, resource) for raw in ours]


def _few(groups: Sequence[wire.Message], before: int = 0) -> Sequence[wire.Message]:
    if before + len(groups) > MAX_GROUPS:
        raise too_many(MAX_GROUPS, "resources or scopes")
    return groups


def _check_ordinary(spans: Sequence[bytes], batch: SpanBatch) -> None:
    """Spans that nobody will read: only their ids must be right, and who has no parent ends its trace."""
    for raw in filterfalse(is_plain_child, spans):
        if root := match_plain_root(raw):
            batch.ordinary_roots.append(root[1])
        else:
            _check_unusual(raw, batch)


def _check_unusual(raw: bytes, batch: SpanBatch) -> None:
    try:
        span = wire.Header.FromString(raw)
    except DecodeError:
        _reject(batch, Reason.DECODE_ERROR)
        return
    ids = check_ids(span.trace_id, span.span_id, span.parent_span_id)
    if ids is None:
        _reject(batch, Reason.INVALID_ID)
    elif not ids[2]:
        batch.ordinary_roots.append(ids[0])


def _take_marked(marked: list[_Marked], body: bytes, batch: SpanBatch) -> None:
    if not marked:
        return
    all_marked = len(marked) == batch.received
    checked = _check(body if all_marked else _request([raw for raw, _ in marked]))
    if isinstance(checked, Reason):
        _take_one_by_one(marked, batch)
    else:
        _take(marked, checked, batch)


def _take_one_by_one(marked: list[_Marked], batch: SpanBatch) -> None:
    for one in marked:
        checked = _check(_request([one[0]]))
        if isinstance(checked, Reason):
            _reject(batch, checked)
        else:
            _take([one], checked, batch)


def _take(marked: list[_Marked], checked: Iterable[wire.Message], batch: SpanBatch) -> None:
    take = batch.spans.append
    for (raw, resource), (trace_id, span_id, parent_id, end_ns) in zip(marked, map(_header, checked), strict=True):
        ids = check_ids(trace_id, span_id, parent_id)
        if ids is None:
            _reject(batch, Reason.INVALID_ID)
            continue
        # What WireSpan(...) does, without its two Python calls.
        take(tuple.__new__(WireSpan, (*ids, end_ns != 0, raw, resource)))


def _reject(batch: SpanBatch, reason: Reason) -> None:
    batch.rejected[reason] = batch.rejected.get(reason, 0) + 1
    batch.message = batch.message or _MESSAGES[reason]


def _request(spans: list[bytes]) -> bytes:
    """A request of these spans alone: the depth limit counts from the outermost message."""
    request = wire.Request()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    return bytes(request.SerializeToString())


def _check(request: bytes) -> list[wire.Message] | Reason:
    """The spans of a request, or what is wrong with one of them; the parser's message alone tells the kinds apart."""
    try:
        checked = wire.Checked.FromString(request)
    except DecodeError as error:
        text = str(error)
        if "UTF-8" in text:
            return Reason.INVALID_UTF8
        return Reason.TOO_DEEP if "MaxDepth" in text else Reason.DECODE_ERROR
    return [span for resource in checked.resource_spans for scope in resource.scope_spans for span in scope.spans]


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
