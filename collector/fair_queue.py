"""A queue of traces in which no service waits for all of another's."""

from collections import deque

from collector.spans import ClosedTrace

TURN_BYTES = 1 << 20
"""Serialized spans of one service that are read before another has its turn: a second of reading at most."""


class FairQueue:
    """Services take turns, each by bytes; within a service the oldest trace comes first."""

    def __init__(self) -> None:
        self._by_service: dict[str, deque[ClosedTrace]] = {}
        self._left = TURN_BYTES
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, trace: ClosedTrace) -> None:
        """Add a trace; a service that has none yet comes last."""
        self._by_service.setdefault(trace.spans[0].resource.service, deque()).append(trace)
        self._length += 1

    def popleft(self) -> ClosedTrace:
        """The next trace. Raises StopIteration where there is none."""
        service, traces = next(iter(self._by_service.items()))
        trace = traces.popleft()
        self._length -= 1
        self._left -= trace.size
        if self._left <= 0 or not traces:
            self._end_turn(service, traces)
        return trace

    def _end_turn(self, service: str, traces: deque[ClosedTrace]) -> None:
        self._left = TURN_BYTES
        del self._by_service[service]
        if traces:
            self._by_service[service] = traces
