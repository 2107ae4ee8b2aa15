"""Spans of many requests, in any order, become whole traces.

When a trace is complete is a judgement. Its root has ended: it closes once nothing came for a short grace. No root
seen: it closes when it was idle for long, because children are exported before their parents. It never outlives its
maximum age. Only the arrival clock counts: the senders' clocks may be hours off.
"""

from collections import OrderedDict
from collections.abc import Container
from itertools import islice
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from collector.open_trace import OpenTrace
from collector.receipts import Custody, Receipt, Source, with_receipt
from collector.spans import ClosedTrace, KeptSpan, SpanBatch, WireSpan
from collector.wheel import Wheel
from evaluators.clock import Clock

REMEMBERED_SPANS = 64
"""Ids remembered of a closed trace: enough to tell a repeated span from a late one, small enough to remember many."""


class AssemblySettings(BaseModel):
    """Limits and times of the assembler, in seconds and bytes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    grace_s: float = Field(
        2.0, gt=0, le=60, description="after the root ended, wait this long for spans still under way"
    )
    idle_s: float = Field(30.0, gt=0, le=3600, description="without a root, close after this long without a span")
    max_age_s: float = Field(600.0, gt=0, le=86400, description="close at this age whatever still comes")
    max_traces: int = Field(100_000, ge=1, description="open traces; above it the oldest is closed early")
    max_bytes: int = Field(
        384 << 20, ge=1 << 20, description="bytes of open traces; above it the oldest is closed early"
    )
    max_spans_per_trace: int = Field(1_000, ge=1, description="further spans of the trace are dropped and counted")
    max_bytes_per_trace: int = Field(8 << 20, ge=1 << 10, description="likewise, in bytes")
    remembered_traces: int = Field(50_000, ge=0, description="closed traces that late and repeated spans are known by")
    reopenable_bytes: int = Field(
        16 << 20, ge=0, description="closed traces kept whole, so that a late span can correct one"
    )


class AssemblyMetrics(Protocol):
    """What the assembler counts: spans that it did not keep, by reason (late, duplicate, trace_cap)."""

    def spans_dropped(self, reason: str, count: int) -> None: ...


class Assembler:
    """Holds open traces, bounded in number and bytes.

    `add` takes spans and returns what it had to close early; `tick` returns the traces that are due, `close_all` all of
    them. The receipts of what it returns are in `custody`. Not thread-safe.
    """

    def __init__(self, settings: AssemblySettings, clock: Clock, metrics: AssemblyMetrics) -> None:
        self._settings = settings
        self._clock = clock
        self._metrics = metrics
        self._open: OrderedDict[bytes, OpenTrace] = OrderedDict()
        self._wheel = Wheel()
        self._remembered: OrderedDict[bytes, bytes] = OrderedDict()
        self._reopenable: OrderedDict[bytes, OpenTrace] = OrderedDict()
        self._reopenable_bytes = 0
        self.open_bytes = 0
        self.custody = Custody()

    @property
    def open_traces(self) -> int:
        """Traces that wait for more spans."""
        return len(self._open)

    def add(self, batch: SpanBatch) -> list[ClosedTrace]:
        """Take every span of the batch. Never raises: spans over a trace's cap are dropped and counted."""
        now = self._clock.monotonic()
        for span in batch.spans:
            trace = self._add_span(span, now, batch.receipt)
            if trace is not None and batch.partial:
                trace.partial = True
        for trace_id in batch.ordinary_roots:
            if trace := self._open.get(trace_id):
                trace.last_seen = now
                self._root_ended(trace_id, trace)
        return self._evict()

    def recall(self, batch: SpanBatch) -> None:
        """Remember spans of traces that are done elsewhere, as if they had been closed here.

        What still comes of such a trace is late or repeated, and is never taken for a trace of its own.
        """
        by_trace: dict[bytes, list[WireSpan]] = {}
        for span in batch.spans:
            by_trace.setdefault(span.trace_id, []).append(span)
        for trace_id, spans in by_trace.items():
            if trace_id in self._open or (trace_id in self._remembered and trace_id not in self._reopenable):
                continue
            now = self._clock.monotonic()
            trace = self._take_reopenable(trace_id) or OpenTrace(spans[0].resource, now, now)
            for span in spans:
                self._recall_span(trace, span)
            self._remember(trace_id, trace)
        for trace_id in batch.ordinary_roots:
            if reopenable := self._reopenable.get(trace_id):
                reopenable.rooted = True

    def tick(self) -> list[ClosedTrace]:
        """The traces that are due by now."""
        now = self._clock.monotonic()
        closed = []
        for trace_id in self._wheel.due(now):
            trace = self._open.get(trace_id)
            if trace is None:
                continue
            if trace.receipts and any(receipt.source.suspended for receipt in trace.receipts):
                self._wheel.put(trace_id, now)
            elif self._deadline(trace) <= now:
                closed.append(self._close(trace_id, self._reason(trace, now)))
            else:
                self._wheel.put(trace_id, self._deadline(trace))
        return closed

    def close_all(self, reason: str = "drain") -> list[ClosedTrace]:
        """Close whatever is open, oldest first."""
        return [self._close(trace_id, reason) for trace_id in list(self._open)]

    def hand_back(self, sources: Container[Source]) -> int:
        """Forget what these sources brought: others will read it again. Returns the number of traces dropped.

        A trace that has spans from elsewhere, too, stays open with all of them. The receipts are not released: nobody
        has judged what they stand for, so the sources' watermarks must not pass them.
        """
        dropped = 0
        for trace_id, trace in list(self._open.items()):
            kept = tuple(receipt for receipt in trace.receipts if receipt.source not in sources)
            if len(kept) == len(trace.receipts):
                continue
            trace.receipts = kept
            if not trace.receipts and not trace.pushed:
                del self._open[trace_id]
                self.open_bytes -= trace.size
                self.forget(trace_id)
                dropped += 1
        return dropped

    def forget(self, trace_id: bytes) -> None:
        """A trace that was closed is handed back after all: should it come again, it is new."""
        self._remembered.pop(trace_id, None)
        self._take_reopenable(trace_id)

    def _add_span(self, span: WireSpan, now: float, receipt: Receipt | None) -> OpenTrace | None:
        """The trace that took it; None where it comes too late to change anything."""
        trace = self._open.get(span.trace_id) or self._new(span, now)
        if trace is None:
            if receipt is not None:
                self.custody.join(span.trace_id, receipt)
            return None
        trace.last_seen = now
        if receipt is None:
            trace.pushed = True
        else:
            trace.receipts = with_receipt(trace.receipts, receipt)
            if trace.revision:
                receipt.source.note_late(receipt.position)
        known = span.span_id in trace.spans
        if known and not trace.finishes_running(span):
            self._metrics.spans_dropped("duplicate", 1)
            return trace
        if not known and self._is_full(trace, len(span.raw)):
            trace.dropped += 1
            self._metrics.spans_dropped("trace_cap", 1)
        else:
            self.open_bytes += trace.keep(span)
        if not span.parent_id and span.ended:
            self._root_ended(span.trace_id, trace)
        return trace

    def _recall_span(self, trace: OpenTrace, span: WireSpan) -> None:
        if span.span_id in trace.spans and not trace.finishes_running(span):
            return
        if self._is_full(trace, len(span.raw)):
            trace.dropped += 1
        else:
            trace.keep(span)
        trace.rooted = trace.rooted or (not span.parent_id and span.ended)

    def _new(self, span: WireSpan, now: float) -> OpenTrace | None:
        """A trace that was not open: new, or closed before. None where the span comes too late to change anything."""
        remembered = self._remembered.get(span.trace_id)
        trace = OpenTrace(span.resource, now, now)
        if remembered is not None:
            earlier = self._reopenable.get(span.trace_id)
            if _holds(remembered, span.span_id) or (earlier and span.span_id in earlier.spans):
                self._metrics.spans_dropped("duplicate", 1)
                return None
            self._metrics.spans_dropped("late", 1)
            if earlier is None:
                return None
            self._take_reopenable(span.trace_id)
            trace = earlier
            trace.created, trace.revision = now, 1
        self._open[span.trace_id] = trace
        self.open_bytes += trace.size
        trace.last_seen = now
        self._wheel.put(span.trace_id, self._deadline(trace))
        return trace

    def _is_full(self, trace: OpenTrace, size: int) -> bool:
        settings = self._settings
        return len(trace.spans) >= settings.max_spans_per_trace or trace.size + size > settings.max_bytes_per_trace

    def _root_ended(self, trace_id: bytes, trace: OpenTrace) -> None:
        if not trace.rooted:
            trace.rooted = True
            self._wheel.put(trace_id, self._deadline(trace))

    def _deadline(self, trace: OpenTrace) -> float:
        wait = self._settings.grace_s if trace.rooted else self._settings.idle_s
        return min(trace.last_seen + wait, trace.created + self._settings.max_age_s)

    def _reason(self, trace: OpenTrace, now: float) -> str:
        if now >= trace.created + self._settings.max_age_s:
            return "max_age"
        return "root" if trace.rooted else "idle"

    def _evict(self) -> list[ClosedTrace]:
        settings, evicted = self._settings, []
        while len(self._open) > settings.max_traces or (self.open_bytes > settings.max_bytes and self._open):
            evicted.append(self._close(next(iter(self._open)), "evicted"))
        if len(self._wheel) > 4 * len(self._open) + 4096:
            self._wheel.keep(self._open)
        return evicted

    def _close(self, trace_id: bytes, reason: str) -> ClosedTrace:
        trace = self._open.pop(trace_id)
        self.open_bytes -= trace.size
        self._remember(trace_id, trace)
        held, returnable = bool(trace.receipts), bool(trace.receipts and not trace.pushed)
        if held:
            self.custody.take(trace_id, trace.receipts)
            trace.receipts = ()
        others = trace.others or {}
        spans = tuple(KeptSpan(raw, others.get(span_id, trace.resource)) for span_id, raw in trace.spans.items())
        closed_at = self._clock.monotonic()
        return ClosedTrace(
            trace_id, spans, reason, closed_at, trace.dropped, trace.revision, held, returnable, trace.partial
        )

    def _remember(self, trace_id: bytes, trace: OpenTrace) -> None:
        self._remembered.pop(trace_id, None)
        self._remembered[trace_id] = b"".join(islice(trace.spans, REMEMBERED_SPANS))
        while len(self._remembered) > self._settings.remembered_traces:
            self._take_reopenable(self._remembered.popitem(last=False)[0])
        if trace.revision == 0 and trace.size <= self._settings.reopenable_bytes:
            self._reopenable[trace_id] = trace
            self._reopenable_bytes += trace.size
        while self._reopenable_bytes > self._settings.reopenable_bytes:
            self._take_reopenable(next(iter(self._reopenable)))

    def _take_reopenable(self, trace_id: bytes) -> OpenTrace | None:
        trace = self._reopenable.pop(trace_id, None)
        if trace is not None:
            self._reopenable_bytes -= trace.size
        return trace


def _holds(ids: bytes, span_id: bytes) -> bool:
    """Whether one of the joined 8-byte ids is `span_id`."""
    at = ids.find(span_id)
    while at >= 0 and at % 8:
        at = ids.find(span_id, at + 1)
    return at >= 0
