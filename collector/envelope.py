"""The outer layers of a request, walked without decoding: where its spans are, and whose.

A parser would build objects for them, several times the size of a hostile body (an empty span is two bytes, the
smallest object for it sixteen), and copy every span. The walk copies nothing and stops at its limits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from collector import wire
from collector.status import Reason, RefusedError

MAX_SPANS = 100_000
MAX_OTHER_FIELDS = 20_000
"""Resources, scopes, schema URLs and unknown fields of a request together."""

# Fields of ExportTraceServiceRequest, ResourceSpans and ScopeSpans (opentelemetry-proto).
_RESOURCE_SPANS, _RESOURCE, _SCOPE_SPANS = 1, 1, 2
_DELIMITED = 2
_SPANS = 2
_SPAN_TAG = _SPANS << 3 | _DELIMITED
_FIXED_SIZES = {1: 8, 5: 4}
_MAX_VARINT_SHIFT = 63

SMALL_SCOPE_BYTES = 1 << 20
"""Up to this size the parser may list the spans of a scope, whatever they are: at most 16 bytes for one of two."""

Bounds = tuple[int, int, int]
"""Where a span's field begins in the body, where the span itself does, and where both end."""


@dataclass(slots=True)
class Scope:
    """The spans of one instrumentation scope, not yet looked for, and the serialized resource that they come from."""

    envelope: "Envelope"
    at: int
    end: int
    resource: bytes

    def spans(self) -> list[Bounds]:
        """Where the spans are."""
        return self.envelope.spans(self.at, self.end)

    def copies(self) -> Sequence[bytes]:
        """The serialized spans; for small scopes in less time than it takes to walk them."""
        if self.end - self.at > SMALL_SCOPE_BYTES:
            return [self.envelope.body[start:stop] for _, start, stop in self.spans()]
        return self.envelope.parsed_spans(self.at, self.end)


class Envelope:
    """Walks one serialized ExportTraceServiceRequest. Raises RefusedError where it is none, or holds too much.

    `received` counts the spans of the scopes that were looked into so far.
    """

    def __init__(self, body: bytes, max_spans: int = MAX_SPANS, *, request: str = "ExportTraceServiceRequest") -> None:
        self._request = request
        self.body = body
        self.received = 0
        self._max_spans = max_spans
        self._others = 0

    def scopes(self) -> Iterator[Scope]:
        """Every scope that is not empty, in order."""
        for number, at, end in self._fields(0, len(self.body)):
            if number == _RESOURCE_SPANS:
                yield from self._scopes_of(at, end)

    def _scopes_of(self, at: int, end: int) -> Iterator[Scope]:
        fields = list(self._fields(at, end))
        resource = next((self.body[at:end] for number, at, end in reversed(fields) if number == _RESOURCE), b"")
        for number, at, end in fields:
            if number == _SCOPE_SPANS and end > at:
                yield Scope(self, at, end, resource)

    def parsed_spans(self, at: int, end: int) -> Sequence[bytes]:
        """The serialized spans of a small scope."""
        try:
            spans: Sequence[bytes] = list(wire.ScopeSpans.FromString(self.body[at:end]).spans)
        except DecodeError:
            raise malformed(self._request) from None
        self._receive(len(spans))
        return spans

    def spans(self, at: int, end: int) -> list[Bounds]:
        """Where the spans of a scope are."""
        body, spans = self.body, []
        try:
            for _ in range(self._max_spans - self.received + 1):
                if at >= end:
                    break
                start = at + 2
                if body[at] == _SPAN_TAG:
                    size = body[at + 1]
                    if size > 0x7F and (high := body[start]) <= 0x7F:
                        size += (high << 7) - 0x80
                        start += 1
                    elif size > 0x7F:
                        size, start = _varint(body, at + 1)
                    spans.append((at, start, start + size))
                    at = start + size
                else:
                    number, start, stop = self._other_field(at)
                    if number == _SPANS:
                        spans.append((at, start, stop))
                    at = stop
        except IndexError:
            raise malformed(self._request) from None
        if at > end:
            raise malformed(self._request)
        self._receive(len(spans) + (at < end))
        return spans

    def _receive(self, spans: int) -> None:
        self.received += spans
        if self.received > self._max_spans:
            raise too_many(self._max_spans)

    def _fields(self, at: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Number and bounds of each length-delimited field."""
        while at < end:
            try:
                number, start, at = self._other_field(at)
            except IndexError:
                raise malformed(self._request) from None
            if number:
                yield number, start, at
        if at != end:
            raise malformed(self._request)

    def _other_field(self, at: int) -> tuple[int, int, int]:
        """Number (0 unless it is length-delimited), start and end of the field at a position."""
        self._others += 1
        if self._others > MAX_OTHER_FIELDS:
            raise too_many(MAX_OTHER_FIELDS)
        tag, at = _varint(self.body, at)
        kind = tag & 7
        if tag >> 3 == 0:
            raise malformed(self._request)
        if kind == _DELIMITED:
            size, at = _varint(self.body, at)
            return tag >> 3, at, at + size
        if kind == 0:
            return 0, at, _varint(self.body, at)[1]
        if kind not in _FIXED_SIZES:
            raise malformed(self._request)
        return 0, at, at + _FIXED_SIZES[kind]


def malformed(request: str = "ExportTraceServiceRequest") -> RefusedError:
    """The refusal of bytes that are no OTLP request."""
    return RefusedError(Reason.DECODE_ERROR, f"the body is not a serialized {request}")


def too_many(limit: int) -> RefusedError:
    """The refusal of a request with more than `limit` spans or other parts."""
    return RefusedError(Reason.TOO_MANY_SPANS, f"more than {limit} parts in one request: send smaller batches")


def _varint(body: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift <= _MAX_VARINT_SHIFT:
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise IndexError  # as where the body ends within it
