"""Closed traces that wait to be read."""

from collections import deque
from collections.abc import Callable, Iterable

from collector.fair_queue import FairQueue
from collector.spans import ClosedTrace

MAX_BYTES = 128 << 20
"""Above it nothing is taken: senders keep what we cannot keep up with."""

MAX_PATIENT = 1_000
"""Traces of sources that can be told to wait; above it they are."""


class Backlog:
    """Two queues.

    What was pushed here is read at once, services in turns, and shed where judges cannot keep up. What a source holds
    for us until it is judged waits, oldest first, and lets the source wait, until judges have room.
    """

    def __init__(self) -> None:
        self._pushed = FairQueue()
        self._patient: deque[ClosedTrace] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._pushed) + len(self._patient)

    @property
    def is_full(self) -> bool:
        """Whether no sender may send more."""
        return self._bytes > MAX_BYTES

    @property
    def is_patient_full(self) -> bool:
        """Whether sources that can wait should."""
        return self.is_full or len(self._patient) > MAX_PATIENT

    def put(self, traces: Iterable[ClosedTrace]) -> None:
        """Add traces."""
        for trace in traces:
            (self._patient if trace.held else self._pushed).append(trace)
            self._bytes += trace.size

    @property
    def patient(self) -> int:
        """How many wait whose sources can be told to."""
        return len(self._patient)

    def take(self, has_room: Callable[[ClosedTrace], bool]) -> ClosedTrace | None:
        """The next trace to read. `has_room` is asked where only patient ones are left."""
        if self._pushed:
            trace = self._pushed.popleft()
        elif self._patient and has_room(self._patient[0]):
            trace = self._patient.popleft()
        else:
            return None
        self._bytes -= trace.size
        return trace

    def take_out(self, wanted: Callable[[ClosedTrace], bool]) -> list[ClosedTrace]:
        """Remove the patient traces that are `wanted`."""
        out = [trace for trace in self._patient if wanted(trace)]
        if out:
            gone = {id(trace) for trace in out}
            self._patient = deque(trace for trace in self._patient if id(trace) not in gone)
            self._bytes -= sum(trace.size for trace in out)
        return out
