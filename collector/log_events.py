"""Events that came as log records, until the trace of their span is read."""

from collections import OrderedDict
from dataclasses import dataclass, field, replace

from alerts.series import SeriesRegistry
from collector import wire
from collector.spans import ClosedTrace, KeptSpan, SpanBatch
from evaluators.clock import Clock

MAX_BYTES = 64 << 20
MAX_BYTES_PER_TRACE = 4 << 20
MAX_AGE_S = 900.0
"""Longer than a trace may stay open by default. What was joined stays too: a late span may reopen the trace."""

EVENT_OVERHEAD = 200
DROPPED = ("no_span", "trace_cap")


@dataclass(slots=True)
class _Waiting:
    since: float
    by_span: dict[bytes, dict[bytes, int]] = field(default_factory=dict)
    size: int = 0
    count: int = 0
    joined: bool = False


class LogEvents:
    """A buffer of events by trace and span, bounded in bytes and in time; the oldest trace goes first."""

    def __init__(self, series: SeriesRegistry, clock: Clock, *, max_bytes: int = MAX_BYTES) -> None:
        self._clock = clock
        self._max_bytes = max_bytes
        self._traces: OrderedDict[bytes, _Waiting] = OrderedDict()
        self._bytes = 0
        self._joined = series.counter("log_events_joined", "Log records that became events of their spans.")
        self._dropped = series.counter("log_events_dropped", "Log records that no span took.", "reason")
        self._joined()
        for reason in DROPPED:
            self._dropped(reason)

    def take(self, batch: SpanBatch) -> None:
        """Keep the events of a batch; never raises."""
        now = self._clock.monotonic()
        for event in batch.events:
            waiting = self._traces.get(event.trace_id)
            if waiting is None:
                waiting = self._traces[event.trace_id] = _Waiting(now)
            known = waiting.by_span.setdefault(event.span_id, {})
            if event.raw in known:
                continue
            size = len(event.raw) + EVENT_OVERHEAD
            if waiting.size + size > MAX_BYTES_PER_TRACE:
                self._dropped("trace_cap").inc()
                continue
            known[event.raw] = event.at_ns
            waiting.count += 1
            waiting.size += size
            self._bytes += size
        self._forget(now)

    def join(self, trace: ClosedTrace) -> ClosedTrace:
        """The trace, each span with the events that came for it."""
        waiting = self._traces.get(trace.trace_id) if self._traces else None
        if waiting is None:
            return trace
        spans = tuple(KeptSpan(_with_events(span.raw, waiting.by_span), span.resource) for span in trace.spans)
        if not waiting.joined:
            waiting.joined = True
            known = {wire.Header.FromString(span.raw).span_id for span in trace.spans}
            matched = sum(len(events) for span_id, events in waiting.by_span.items() if span_id in known)
            self._joined().inc(matched)
            self._dropped("no_span").inc(waiting.count - matched)
        return replace(trace, spans=spans)

    def _forget(self, now: float) -> None:
        while self._traces:
            trace_id, oldest = next(iter(self._traces.items()))
            if self._bytes <= self._max_bytes and now - oldest.since < MAX_AGE_S:
                return
            del self._traces[trace_id]
            self._bytes -= oldest.size
            if not oldest.joined:
                self._dropped("no_span").inc(oldest.count)


def _with_events(raw: bytes, by_span: dict[bytes, dict[bytes, int]]) -> bytes:
    """A serialized message and further fields behind it are one message, and lists grow.

    Whatever the order of their arrival, the events are in that of their times.
    """
    events = by_span.get(wire.Header.FromString(raw).span_id, {})
    return b"".join([raw, *sorted(events, key=lambda event: (events[event], event))])
