"""OTLP spans from bytes."""

from google.protobuf.message import DecodeError

from collector import wire
from collector.attributes import MAX_VALUE_BYTES, Attributes
from evaluators.errors import PermanentError


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
