"""What travels from a receiver to the assembler."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from collector.receipts import Receipt


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """Who sent a span. One object is shared by all spans of the same resource.

    `attributes` holds the resource's string attributes, at most 64, each cut at 256 characters.
    """

    service: str
    attributes: Mapping[str, str]


class WireSpan(NamedTuple):
    """A recognised span: accepted, validated, and not yet read.

    `raw` is the serialized `opentelemetry.proto.trace.v1.Span`; its attributes are read once, when its trace closes,
    and only if the trace is judged. Ids are the raw 16 and 8 bytes; `parent_id` is empty at a root. `ended` is False
    for spans that the SDK exported while still running (no end time).
    """

    trace_id: bytes
    span_id: bytes
    parent_id: bytes
    ended: bool
    raw: bytes
    resource: Resource


class LogEvent(NamedTuple):
    """A log record that tells of a span: `raw` is a serialized field of that span, which holds one event."""

    trace_id: bytes
    span_id: bytes
    raw: bytes
    at_ns: int = 0


@dataclass(slots=True)
class SpanBatch:
    """One decoded request.

    `spans` are the recognised ones. `ordinary_roots` are the trace ids of spans without parent and marker: they are not
    kept, but tell that their trace has ended. `received` counts all spans of the request, `rejected` those refused by
    reason; `message` explains the first refusal to the sender (no payload text). `receipt` is that of the unit which
    brought them, where the receiver can ask for it again. `stored` is to be awaited before the batch is acknowledged,
    where a sink takes its time; it raises RetryableError where the batch was not taken after all. A request of log
    records has `events` and no spans; its counts are of records. `partial` says that other spans of its traces may be
    where this process cannot see them.
    """

    received: int = 0
    spans: list[WireSpan] = field(default_factory=list)
    ordinary_roots: list[bytes] = field(default_factory=list)
    events: list[LogEvent] = field(default_factory=list)
    rejected: dict[str, int] = field(default_factory=dict)
    message: str = ""
    receipt: Receipt | None = None
    stored: Awaitable[None] | None = None
    partial: bool = False

    @property
    def ordinary(self) -> int:
        """How many were right, and without a marker."""
        return self.received - len(self.spans) - len(self.events) - sum(self.rejected.values())


class SpanSink(Protocol):
    """The next stage of a receiver: one method, so that a plain function is one.

    It takes the whole batch or raises RetryableError and has taken nothing. A receiver acknowledges only after it
    returned.
    """

    def __call__(self, batch: SpanBatch, /) -> None: ...


class KeptSpan(NamedTuple):
    """What stays of a span while its trace is open; everything else is in `raw`."""

    raw: bytes
    resource: Resource


@dataclass(frozen=True, slots=True)
class ClosedTrace:
    """All recognised spans of one trace, in order of arrival, each span id once.

    `closed_by` is root, idle, max_age, evicted or drain. `dropped` counts spans over the trace's cap. `revision` is 1
    where the trace had closed before and a late span reopened it, else 0. `closed_at` is monotonic seconds. `held` says
    that its receipts are in custody until it is judged, `returnable` that all its spans can be had again by them,
    `partial` that spans of it may be elsewhere, so that no verdict on it can be trusted.
    """

    trace_id: bytes
    spans: tuple[KeptSpan, ...]
    closed_by: str
    closed_at: float
    dropped: int = 0
    revision: int = 0
    held: bool = False
    returnable: bool = False
    partial: bool = False

    @property
    def size(self) -> int:
        """Bytes of the serialized spans."""
        return sum(len(span.raw) for span in self.spans)
