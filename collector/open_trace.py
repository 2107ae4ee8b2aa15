"""One trace, open or remembered."""

from dataclasses import dataclass, field

from collector.receipts import Receipts
from collector.spans import Resource, WireSpan

SPAN_OVERHEAD = 160
TRACE_OVERHEAD = 640
"""Bytes of bookkeeping beside the serialized spans, measured with `make bench` (memory)."""


@dataclass(slots=True)
class OpenTrace:
    """Spans by their ids, in order of arrival.

    `others` holds resources that differ from the first one's. `pushed` says that spans came without a receipt, so that
    nobody can be asked for them again, `partial` that spans may be elsewhere.
    """

    resource: Resource
    created: float
    last_seen: float
    spans: dict[bytes, bytes] = field(default_factory=dict)
    others: dict[bytes, Resource] | None = None
    running: set[bytes] | None = None
    rooted: bool = False
    size: int = TRACE_OVERHEAD
    dropped: int = 0
    revision: int = 0
    receipts: Receipts = ()
    pushed: bool = False
    partial: bool = False

    def keep(self, span: WireSpan) -> int:
        """Add the span, or replace what it was; by how many bytes the trace grew."""
        grown = len(span.raw) - len(self.spans.get(span.span_id, b""))
        if span.span_id not in self.spans:
            grown += SPAN_OVERHEAD
        self.spans[span.span_id] = span.raw
        if span.resource is not self.resource:
            self.others = self.others or {}
            self.others[span.span_id] = span.resource
        if not span.ended:
            self.running = self.running or set()
            self.running.add(span.span_id)
        self.size += grown
        return grown

    def finishes_running(self, span: WireSpan) -> bool:
        """Some SDKs export a span at its start and again at its end: the end replaces the start."""
        if self.running is None or span.span_id not in self.running or not span.ended:
            return False
        self.running.discard(span.span_id)
        return True
