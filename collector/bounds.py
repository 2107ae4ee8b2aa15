"""How many parts a large request has, told before anything is built from it.

A serialized empty span is two bytes and the smallest object for it sixteen: the parser's memory can be many times
the body. So large bodies are walked first, without copies and no further than the limit.
"""

from collections.abc import Iterator

from collector.status import Reason, RefusedError

_LENGTH_DELIMITED = 2
_FIXED_SIZES = {1: 8, 5: 4}
# ExportTraceServiceRequest.resource_spans, ResourceSpans.scope_spans, ScopeSpans.spans
_GROUPS = (1, 2)
_SPANS = (1, 2, 2)
_MAX_VARINT_SHIFT = 63


def check_spans(body: bytes, limit: int) -> None:
    """Refuse a request with more than `limit` spans, scopes, resources and unknown fields in all."""
    _check(body, _SPANS, limit, "spans")


def check_groups(body: bytes, limit: int) -> None:
    """Refuse a request with more than `limit` scopes, resources and unknown fields beside them in all."""
    _check(body, _GROUPS, limit, "resources or scopes")


def _check(body: bytes, path: tuple[int, ...], limit: int, what: str) -> None:
    parts = 0
    try:
        for _ in _parts(body, 0, len(body), path):
            parts += 1
            if parts > limit:
                raise too_many(limit, what)
    except IndexError:
        raise malformed() from None


def too_many(limit: int, parts: str) -> RefusedError:
    """The refusal of a request with more than `limit` of the parts."""
    return RefusedError(Reason.TOO_MANY_SPANS, f"more than {limit} {parts} in one request: send smaller batches")


def malformed() -> RefusedError:
    """The refusal of bytes that are no OTLP request."""
    return RefusedError(Reason.DECODE_ERROR, "the body is not a serialized ExportTraceServiceRequest")


def _parts(body: bytes, at: int, end: int, path: tuple[int, ...]) -> Iterator[None]:
    while at < end:
        yield
        tag, at = _varint(body, at)
        kind = tag & 7
        if kind == _LENGTH_DELIMITED:
            size, at = _varint(body, at)
            if at + size > end:
                raise malformed()
            if len(path) > 1 and tag >> 3 == path[0]:
                yield from _parts(body, at, at + size, path[1:])
            at += size
        elif kind == 0:
            _, at = _varint(body, at)
        elif kind in _FIXED_SIZES:
            at += _FIXED_SIZES[kind]
        else:
            raise malformed()


def _varint(body: bytes, at: int) -> tuple[int, int]:
    byte = body[at]
    at += 1
    if byte < 0x80:
        return byte, at
    value, shift = byte & 0x7F, 7
    while shift <= _MAX_VARINT_SHIFT:
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise malformed()
