"""OTLP/JSON into the protobuf bytes that say the same, so that one decoder reads both.

The generic protobuf mapping does not fit: OTLP writes ids in hex and enums as numbers, wants names in lowerCamelCase
only, and unknown fields ignored (OTLP 1.11, JSON Protobuf Encoding). What is wrong with the document as such refuses
the request; a wrong id or an unpaired surrogate is handed on as it is and costs only its span.
"""

import base64
import binascii
import json
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NoReturn

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.envelope import too_many
from collector.status import Reason, RefusedError

_HEX_FIELDS = {"trace_id", "span_id", "parent_span_id"}
_INVALID_ID = b"\0"
"""Stands for an id that is no hex text: of no valid length, so that it is refused like any other wrong id."""

_VARINT, _FIXED64, _DELIMITED, _FIXED32 = 0, 1, 2, 5
_INT32, _INT64 = range(-(1 << 31), 1 << 31), range(-(1 << 63), 1 << 63)
_UINT32, _UINT64 = range(1 << 32), range(1 << 64)
_ONE_BYTE = [bytes([value]) for value in range(0x80)]
_DIGITS = re.compile(r"-?[0-9]{1,20}")

Encoder = Callable[[Any], bytes]


@dataclass(frozen=True, slots=True)
class Signal:
    """A kind of export request, and what its layers are called in JSON."""

    request: Descriptor
    layers: tuple[str, str, str]


TRACES = Signal(ExportTraceServiceRequest.DESCRIPTOR, ("resourceSpans", "scopeSpans", "spans"))
LOGS = Signal(ExportLogsServiceRequest.DESCRIPTOR, ("resourceLogs", "scopeLogs", "logRecords"))


def to_protobuf(body: bytes, max_spans: int, signal: Signal = TRACES) -> bytes:
    """The serialized request of an OTLP/JSON body. Raises RefusedError that names what is wrong."""
    try:
        document = json.loads(body.decode(), object_pairs_hook=_unique, parse_constant=_no_constant)
        if not isinstance(document, dict):
            _wrong("the body", "an object")
        if _count(document, signal.layers) > max_spans:
            raise too_many(max_spans)
        return _encode_message(_fields(signal.request), document)
    except RecursionError:
        raise _malformed("nested too deep") from None
    except UnicodeDecodeError:
        raise _malformed("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise _malformed(f"{error.msg} at character {error.pos}") from None
    except (ValueError, OverflowError):
        raise _malformed("a number is out of range") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise _malformed("an object has the same key twice")
    return document


def _no_constant(_name: str) -> NoReturn:
    raise _malformed("NaN and Infinity are no JSON numbers")


def _malformed(what: str) -> RefusedError:
    return RefusedError(Reason.DECODE_ERROR, f"the body is not valid OTLP/JSON: {what}")


def _wrong(name: str, expected: str) -> NoReturn:
    raise _malformed(f"{name} must be {expected}")


def _count(document: dict[str, Any], layers: tuple[str, str, str]) -> int:
    """Spans or records of the document, before any work is put into them; another shape is found out later."""
    resources, scopes, items = layers
    found = (scope for resource in _objects(document, resources) for scope in _objects(resource, scopes))
    return sum(len(_objects(scope, items)) for scope in found)


def _objects(parent: Any, key: str) -> list[Any]:
    value = parent.get(key) if isinstance(parent, dict) else None
    return value if isinstance(value, list) else []


class _Fields:
    """How to encode the fields of one message, by their JSON names."""

    def __init__(self, descriptor: Descriptor) -> None:
        self.encoders = {field.json_name: _field_encoder(field) for field in descriptor.fields}
        self.wrong_names = {field.name: field.json_name for field in descriptor.fields if field.name != field.json_name}
        # An empty string says something only where it is one of several alternatives, as in AnyValue.
        self.alternatives = {field.json_name for field in descriptor.fields if field.containing_oneof}


@cache
def _fields(descriptor: Descriptor) -> _Fields:
    return _Fields(descriptor)


def _encode_message(fields: _Fields, document: dict[str, Any]) -> bytes:
    parts = []
    for name, value in document.items():
        encode = fields.encoders.get(name)
        if encode is None:
            if name in fields.wrong_names:
                _wrong(name, f"written {fields.wrong_names[name]}")
        elif value is not None and (value != "" or name in fields.alternatives):
            parts.append(encode(value))
    return b"".join(parts)


def _field_encoder(field: FieldDescriptor) -> Encoder:
    one: Encoder
    if field.message_type is not None:
        one = partial(_message, field.json_name, _tag(field, _DELIMITED), field.message_type)
    else:
        one = _SCALARS[field.type](field)
    return partial(_list, field.json_name, one) if field.is_repeated else one


def _list(name: str, one: Encoder, value: Any) -> bytes:
    if not isinstance(value, list):
        _wrong(name, "an array")
    return b"".join(map(one, value))


def _message(name: str, tag: bytes, descriptor: Descriptor, value: Any) -> bytes:
    if not isinstance(value, dict):
        _wrong(name, "an object")
    return _delimited(tag, _encode_message(_fields(descriptor), value))


def _string(name: str, tag: bytes, value: Any) -> bytes:
    if not isinstance(value, str):
        _wrong(name, "a string")
    return _delimited(tag, value.encode("utf-8", "surrogatepass"))


def _hex(tag: bytes, value: Any) -> bytes:
    try:
        return _delimited(tag, bytes.fromhex(value))
    except (TypeError, ValueError):
        return _delimited(tag, _INVALID_ID)


def _base64(name: str, tag: bytes, value: Any) -> bytes:
    try:
        return _delimited(tag, base64.b64decode(value, validate=True))
    except (TypeError, ValueError, binascii.Error):
        _wrong(name, "base64 text")


def _integer(name: str, numbers: range, value: Any) -> int:
    """64-bit numbers come as strings or as numbers; 1.0 and 1e3 are whole numbers too."""
    if (isinstance(value, str) and _DIGITS.fullmatch(value)) or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    # Asked for a float, a range looks at its numbers one after the other.
    if isinstance(value, bool) or not isinstance(value, int) or value not in numbers:
        _wrong(name, f"a whole number from {numbers[0]} to {numbers[-1]}")
    return value


def _varint_field(name: str, tag: bytes, numbers: range, value: Any) -> bytes:
    return tag + _varint(_integer(name, numbers, value) & 0xFFFFFFFFFFFFFFFF)


def _fixed_field(name: str, tag: bytes, numbers: range, layout: struct.Struct, value: Any) -> bytes:
    return tag + layout.pack(_integer(name, numbers, value))


def _enum(name: str, tag: bytes, value: Any) -> bytes:
    if isinstance(value, str):
        _wrong(name, "the number of an enum value, not its name")
    return _varint_field(name, tag, _INT32, value)


def _bool(name: str, tag: bytes, value: Any) -> bytes:
    if not isinstance(value, bool):
        _wrong(name, "true or false")
    return tag + (b"\1" if value else b"\0")


def _double(name: str, tag: bytes, value: Any) -> bytes:
    if value in ("NaN", "Infinity", "-Infinity"):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        _wrong(name, "a number")
    return tag + struct.pack("<d", value)


def _tag(field: FieldDescriptor, wire_type: int) -> bytes:
    return _varint(field.number << 3 | wire_type)


def _delimited(tag: bytes, data: bytes) -> bytes:
    return b"%b%b%b" % (tag, _varint(len(data)), data)


def _varint(value: int) -> bytes:
    if value < 0x80:
        return _ONE_BYTE[value]
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _bytes_encoder(field: FieldDescriptor) -> Encoder:
    tag = _tag(field, _DELIMITED)
    return partial(_hex, tag) if field.name in _HEX_FIELDS else partial(_base64, field.json_name, tag)


def _varint_encoder(numbers: range, field: FieldDescriptor) -> Encoder:
    return partial(_varint_field, field.json_name, _tag(field, _VARINT), numbers)


def _fixed_encoder(numbers: range, layout: struct.Struct, wire_type: int, field: FieldDescriptor) -> Encoder:
    return partial(_fixed_field, field.json_name, _tag(field, wire_type), numbers, layout)


_SCALARS: dict[int, Callable[[FieldDescriptor], Encoder]] = {
    FieldDescriptor.TYPE_STRING: lambda field: partial(_string, field.json_name, _tag(field, _DELIMITED)),
    FieldDescriptor.TYPE_BYTES: _bytes_encoder,
    FieldDescriptor.TYPE_BOOL: lambda field: partial(_bool, field.json_name, _tag(field, _VARINT)),
    FieldDescriptor.TYPE_ENUM: lambda field: partial(_enum, field.json_name, _tag(field, _VARINT)),
    FieldDescriptor.TYPE_DOUBLE: lambda field: partial(_double, field.json_name, _tag(field, _FIXED64)),
    FieldDescriptor.TYPE_INT32: partial(_varint_encoder, _INT32),
    FieldDescriptor.TYPE_INT64: partial(_varint_encoder, _INT64),
    FieldDescriptor.TYPE_UINT32: partial(_varint_encoder, _UINT32),
    FieldDescriptor.TYPE_FIXED64: partial(_fixed_encoder, _UINT64, struct.Struct("<Q"), _FIXED64),
    FieldDescriptor.TYPE_FIXED32: partial(_fixed_encoder, _UINT32, struct.Struct("<I"), _FIXED32),
}
