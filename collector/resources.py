"""Who sent a span: OTLP resources, read once and shared."""

from functools import lru_cache
from types import MappingProxyType

from google.protobuf.message import DecodeError

from collector import wire
from collector.attributes import Attributes
from collector.spans import Resource

MAX_ATTRIBUTES = 64
MAX_VALUE_CHARS = 256
CACHED_RESOURCES = 1024
CACHED_RESOURCE_BYTES = 4096

OURSELVES = "groundwatch"
"""The service name of the monitor's own spans."""

UNKNOWN_SERVICE = "unknown_service"
"""What the semantic conventions call a service without a name."""


def read_resource(raw: bytes) -> Resource:
    """A serialized `opentelemetry.proto.resource.v1.Resource`; equal bytes give the same object.

    Never fails: what cannot be read is a resource of no name.
    """
    return _cached(raw) if len(raw) <= CACHED_RESOURCE_BYTES else _read(raw)


def _read(raw: bytes) -> Resource:
    try:
        attributes = Attributes(wire.Resource.FromString(raw).attributes)
    except DecodeError:
        return Resource(UNKNOWN_SERVICE, MappingProxyType({}))
    texts: dict[str, str] = {}
    for key in sorted(attributes.keys()):
        value = attributes.get(key)
        if isinstance(value, str) and len(texts) < MAX_ATTRIBUTES:
            texts[key[:MAX_VALUE_CHARS]] = value[:MAX_VALUE_CHARS]
    service = attributes.get("service.name")
    name = service[:MAX_VALUE_CHARS] if isinstance(service, str) and service else UNKNOWN_SERVICE
    return Resource(name, MappingProxyType(texts))


_cached = lru_cache(maxsize=CACHED_RESOURCES)(_read)
