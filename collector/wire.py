"""Private protobuf descriptors that read OTLP bytes in less work than the generated classes.

They are wire-compatible with opentelemetry-proto and differ in what they leave unread:

- `ScopeSpans` stops at the serialized span, so that a span that nobody wants costs no more than a `bytes` object;
- `Span` reads `repeated KeyValue` as `map<string, bytes>`: a map entry has the same encoding as a KeyValue (key 1,
  value 2), so the C parser builds the attribute table and Python pays only for the keys that it asks for;
- `Header` reads the ids of a span and leaves everything else alone;
- `Checked` reads everything and keeps nearly nothing of a span: fields that repeat are declared singular, so that each
  occurrence merges into the one before it. Wire format, UTF-8 and depth are checked and no attribute is built.
"""

from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

_PACKAGE = "groundwatch.wire"
_SCALARS = {
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "string": FieldDescriptorProto.TYPE_STRING,
    "fixed32": FieldDescriptorProto.TYPE_FIXED32,
    "fixed64": FieldDescriptorProto.TYPE_FIXED64,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "uint32": FieldDescriptorProto.TYPE_UINT32,
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "double": FieldDescriptorProto.TYPE_DOUBLE,
}
_REPEATED = "repeated "
_MAP = "map<string, bytes>"

# Field numbers as in opentelemetry-proto: collector/trace/v1/trace_service.proto, trace/v1/trace.proto, resource/v1.
_SCHEMA: dict[str, dict[str, tuple[int, str]]] = {
    "ScopeSpans": {"spans": (2, "repeated bytes")},
    "Resource": {"attributes": (1, _MAP)},
    "Span": {
        "trace_id": (1, "bytes"),
        "span_id": (2, "bytes"),
        "parent_span_id": (4, "bytes"),
        "name": (5, "string"),
        "kind": (6, "int32"),
        "start_time_unix_nano": (7, "fixed64"),
        "end_time_unix_nano": (8, "fixed64"),
        "attributes": (9, _MAP),
        "dropped_attributes_count": (10, "uint32"),
        "events": (11, "repeated Event"),
        "status": (15, "Status"),
    },
    "Header": {
        "trace_id": (1, "bytes"),
        "span_id": (2, "bytes"),
        "parent_span_id": (4, "bytes"),
        "end_time_unix_nano": (8, "fixed64"),
    },
    "Event": {"name": (2, "string"), "attributes": (3, _MAP)},
    "Status": {"message": (2, "string"), "code": (3, "int32")},
    "Checked": {"resource_spans": (1, "repeated CheckedResourceSpans")},
    "CheckedResourceSpans": {"scope_spans": (2, "repeated CheckedScopeSpans")},
    "CheckedScopeSpans": {"spans": (2, "repeated CheckedSpan")},
    "CheckedSpan": {
        "trace_id": (1, "bytes"),
        "span_id": (2, "bytes"),
        "trace_state": (3, "string"),
        "parent_span_id": (4, "bytes"),
        "name": (5, "string"),
        "kind": (6, "int32"),
        "start_time_unix_nano": (7, "fixed64"),
        "end_time_unix_nano": (8, "fixed64"),
        "attributes": (9, "CheckedKeyValue"),
        "dropped_attributes_count": (10, "uint32"),
        "events": (11, "CheckedEvent"),
        "dropped_events_count": (12, "uint32"),
        "links": (13, "CheckedLink"),
        "dropped_links_count": (14, "uint32"),
        "status": (15, "Status"),
        "flags": (16, "fixed32"),
    },
    "CheckedEvent": {
        "time_unix_nano": (1, "fixed64"),
        "name": (2, "string"),
        "attributes": (3, "CheckedKeyValue"),
        "dropped_attributes_count": (4, "uint32"),
    },
    "CheckedLink": {
        "trace_id": (1, "bytes"),
        "span_id": (2, "bytes"),
        "trace_state": (3, "string"),
        "attributes": (4, "CheckedKeyValue"),
        "dropped_attributes_count": (5, "uint32"),
        "flags": (6, "fixed32"),
    },
    "CheckedKeyValue": {"key": (1, "string"), "value": (2, "CheckedAnyValue")},
    "CheckedAnyValue": {
        "string_value": (1, "string"),
        "bool_value": (2, "bool"),
        "int_value": (3, "int64"),
        "double_value": (4, "double"),
        "array_value": (5, "CheckedArray"),
        "kvlist_value": (6, "CheckedKeyValueList"),
        "bytes_value": (7, "bytes"),
        "string_value_strindex": (8, "int32"),
    },
    "CheckedArray": {"values": (1, "CheckedAnyValue")},
    "CheckedKeyValueList": {"values": (1, "CheckedKeyValue")},
}


def _add_field(message: DescriptorProto, name: str, number: int, kind: str) -> None:
    field = message.field.add(name=name, number=number, label=FieldDescriptorProto.LABEL_OPTIONAL)
    if kind == _MAP:
        entry = message.nested_type.add(name=f"{name.title()}Entry")
        entry.options.map_entry = True
        _add_field(entry, "key", 1, "string")
        _add_field(entry, "value", 2, "bytes")
        kind = f"repeated {message.name}.{entry.name}"
    if kind.startswith(_REPEATED):
        field.label = FieldDescriptorProto.LABEL_REPEATED
        kind = kind.removeprefix(_REPEATED)
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
        return
    field.type = FieldDescriptorProto.TYPE_MESSAGE
    field.type_name = f".{_PACKAGE}.{kind}"


def _pool() -> DescriptorPool:
    file = FileDescriptorProto(name="groundwatch/wire.proto", package=_PACKAGE, syntax="proto3")
    for message_name, fields in _SCHEMA.items():
        message = file.message_type.add(name=message_name)
        for name, (number, kind) in fields.items():
            _add_field(message, name, number, kind)
    pool = DescriptorPool()
    pool.Add(file)
    return pool


_POOL = _pool()


Message = Any
"""A message of a private descriptor: its fields are known to nobody but protobuf."""


def _message(name: str) -> Message:
    return GetMessageClass(_POOL.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


ScopeSpans = _message("ScopeSpans")
Resource = _message("Resource")
Span = _message("Span")
Header = _message("Header")
Checked = _message("Checked")


def head(number: int, size: int) -> bytes:
    """What stands before `size` bytes of a string, bytes or message field."""
    encoded = bytearray([number << 3 | 2])
    while size > 0x7F:
        encoded.append(size & 0x7F | 0x80)
        size >>= 7
    encoded.append(size)
    return bytes(encoded)
