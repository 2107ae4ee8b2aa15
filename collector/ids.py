"""Which span it is, of which trace, under which parent: what must be right of every span."""

import re

_ZERO_8, _ZERO_16 = bytes(8), bytes(16)
NO_PARENT = _ZERO_8
"""Some SDKs write this where a root leaves its parent id out."""

_IDS = rb"\n\x10(?!\0{16})(.{16})\x12\x08(?!\0{8}).{8}"

# How every SDK writes a span: fields in order of their numbers, no trace_state. Whatever differs may be valid too.
is_plain_child = re.compile(_IDS + rb'"\x08(?!\0{8})', re.DOTALL).match
"""Matches a serialized span with valid ids and a parent."""

match_plain_root = re.compile(_IDS + rb"\*", re.DOTALL).match
"""Matches a serialized span with valid ids and a name, but no parent; its group is the trace id."""


def are_valid(trace_id: bytes, span_id: bytes, parent_id: bytes) -> bool:
    """Whether these can be the ids of a span; a root has no parent id. All zero is invalid (trace.proto)."""
    if len(trace_id) != 16 or len(span_id) != 8 or trace_id == _ZERO_16 or span_id == _ZERO_8:
        return False
    return len(parent_id) == 8 or not parent_id
