"""Attributes of a span, event or resource, decoded one by one and only when somebody asks."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

log = logging.getLogger(__name__)

MAX_VALUE_BYTES = 1 << 20
MAX_ATTRIBUTES = 4096

_STRING_TAG = 0x0A
_ONE_BYTE_LENGTH = 0x7F + 2
_TWO_BYTE_LENGTH = 0x3FFF + 3


class Attributes:
    """The attribute table of one span or event.

    Of a table with more than MAX_ATTRIBUTES keys the first in order of key remain. `truncated` says that keys or parts
    of values are missing for that reason.
    """

    __slots__ = ("_table", "truncated")

    def __init__(self, table: Mapping[str, bytes], *, oversize: bool = False) -> None:
        self._table = table
        self.truncated = False
        if len(table) > MAX_ATTRIBUTES:
            self._table = {key: table[key] for key in sorted(table)[:MAX_ATTRIBUTES]}
            self.truncated = True
        if oversize:
            self.truncated |= any(len(value) > MAX_VALUE_BYTES for value in self._table.values())

    def get(self, key: str) -> object | None:
        """The value as str, bool, int, float, bytes, list or dict.

        None where the key is absent or its value is empty. What a value holds beyond MAX_VALUE_BYTES is cut off.
        """
        raw = self._table.get(key)
        return decode_value(raw) if raw else None

    def keys(self) -> Iterable[str]:
        """All keys in no particular order, those with an empty value too. Of a key sent twice the last value counts."""
        return self._table.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def __len__(self) -> int:
        return len(self._table)


def decode_value(raw: bytes) -> object | None:
    """A serialized AnyValue as a Python value; None where it is empty or unreadable."""
    text = _plain_string(raw)
    try:
        return _python_value(AnyValue.FromString(raw), MAX_VALUE_BYTES) if text is None else text.decode()
    except (DecodeError, UnicodeDecodeError):
        return None


def _plain_string(raw: bytes) -> bytes | None:
    """The text of an AnyValue that is one short string in the canonical encoding: nearly all of them."""
    size = len(raw)
    if size < 2 or raw[0] != _STRING_TAG:
        return None
    if size <= _ONE_BYTE_LENGTH:
        return raw[2:] if raw[1] == size - 2 else None
    if size <= _TWO_BYTE_LENGTH:
        size -= 3
        return raw[3:] if raw[1] == size & 0x7F | 0x80 and raw[2] == size >> 7 else None
    return None


def _python_value(value: Any, room: int) -> object | None:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_python_value(item, left) for item, left in _fitting(value.array_value.values, room)]
    if kind == "kvlist_value":
        return {pair.key: _python_value(pair.value, left) for pair, left in _fitting(value.kvlist_value.values, room)}
    if kind == "string_value_strindex":
        _tell_of_strindex()
        return None
    scalar = getattr(value, kind) if kind else None
    if isinstance(scalar, str):
        return _cut(scalar, room)
    return scalar[:room] if isinstance(scalar, bytes) else scalar


def _cut(text: str, room: int) -> str:
    data = text.encode()
    return text if len(data) <= room else data[:room].decode(errors="ignore")


@cache
def _tell_of_strindex() -> None:
    """The index points into a dictionary that only the profiles signal carries (common.proto, AnyValue)."""
    log.warning("a sender uses string_value_strindex in spans, where it means nothing: such values count as absent")


def _fitting(items: Iterable[Any], room: int) -> Iterable[tuple[Any, int]]:
    """The leading items until `room` bytes are used up, each with the room that it has."""
    for item in items:
        if room <= 0:
            return
        yield item, room
        room -= item.ByteSize()
