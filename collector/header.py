"""The ids of a serialized span, without decoding it."""

import re
import struct

from google.protobuf.message import DecodeError

from collector import wire

Header = tuple[bytes, bytes, bytes, bool]
"""Trace id, span id, parent id (empty at a root), and whether the span has ended."""

# How every SDK serializes a span: fields in order of their numbers, no trace_state, a name of less than 128 bytes. The
# tag of a field and the length of an id make one little-endian number. Whatever differs takes the slow path.
_fields = struct.Struct("<H16sH8sH8sBB").unpack_from
_TRACE_ID, _SPAN_ID, _PARENT_ID = 0x100A, 0x0812, 0x0822
_NAME, _KIND, _START, _END = 0x2A, 0x30, 0x39, 0x41
_AFTER_NAME_OF_CHILD, _AFTER_NAME_OF_ROOT = 40, 30
_ZERO_8, _ZERO_16 = bytes(8), bytes(16)

is_plain_child = re.compile(rb'\n\x10(?!\0{16}).{16}\x12\x08(?!\0{8}).{8}"\x08(?!\0{8})', re.DOTALL).match
"""Matches a serialized span that has valid ids and a parent; what it does not match may still be valid."""


def read_header(raw: bytes) -> Header | None:
    """Read the ids of a serialized span; None where one of them is invalid or the bytes are no span."""
    try:
        return _canonical(raw) or _parsed(raw)
    except (struct.error, IndexError):
        return _parsed(raw)


def _canonical(raw: bytes) -> Header | None:
    trace_tag, trace_id, span_tag, span_id, parent_tag, parent_id, name_tag, size = _fields(raw)
    if trace_tag != _TRACE_ID or span_tag != _SPAN_ID or trace_id == _ZERO_16 or span_id == _ZERO_8:
        return None
    if parent_tag == _PARENT_ID and name_tag == _NAME and parent_id != _ZERO_8:
        at = _AFTER_NAME_OF_CHILD + size
    elif parent_tag & 0xFF == _NAME:
        parent_id = b""
        size = parent_tag >> 8
        at = _AFTER_NAME_OF_ROOT + size
    else:
        return None
    if raw[at] == _KIND:
        at += 2
    if size > 0x7F or raw[at] != _START or raw[at + 9] != _END:
        return None
    return trace_id, span_id, parent_id, raw[at + 10 : at + 18] != _ZERO_8


def _parsed(raw: bytes) -> Header | None:
    try:
        header = wire.Header.FromString(raw)
    except DecodeError:
        return None
    trace_id, span_id, parent_id = header.trace_id, header.span_id, header.parent_span_id
    if len(trace_id) != 16 or len(span_id) != 8 or len(parent_id) not in (0, 8):
        return None
    if trace_id == _ZERO_16 or span_id == _ZERO_8:
        return None
    return trace_id, span_id, parent_id if parent_id != _ZERO_8 else b"", header.end_time_unix_nano != 0
