"""Private protobuf descriptors that read OTLP bytes in less work than the generated classes.

They are wire-compatible with opentelemetry-proto and differ in what they leave unread:

- `Request` stops at the serialized span, so that one bad span cannot fail the request and the cost of a span that
  nobody wants is one `bytes` object;
- `Span` reads `repeated KeyValue` as `map<string, bytes>`: a map entry has the same encoding as a KeyValue (key 1,
  value 2), so the C parser builds the attribute table and Python pays only for the keys that it asks for.
"""

from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

_PACKAGE = "groundwatch.wire"
_SCALARS = {
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "string": FieldDescriptorProto.TYPE_STRING,
    "fixed64": FieldDescriptorProto.TYPE_FIXED64,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "uint32": FieldDescriptorProto.TYPE_UINT32,
}
_REPEATED = "repeated "
_MAP = "map<string, bytes>"

# Field numbers as in opentelemetry-proto: collector/trace/v1/trace_service.proto, trace/v1/trace.proto, resource/v1.
_SCHEMA: dict[str, dict[str, tuple[int, str]]] = {
    "Request": {"resource_spans": (1, "repeated ResourceSpans")},
    "ResourceSpans": {"resource": (1, "bytes"), "scope_spans": (2, "repeated ScopeSpans")},
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
    "Event": {"name": (2, "string"), "attributes": (3, _MAP)},
    "Status": {"code": (3, "int32")},
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


def _message(name: str) -> Any:
    return GetMessageClass(_POOL.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


Request = _message("Request")
Resource = _message("Resource")
Span = _message("Span")
