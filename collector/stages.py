"""What stands around the pipeline, as it sees it."""

from collections.abc import Callable
from typing import Protocol

from collector.spans import ClosedTrace
from evaluators.evaluation import Assessment
from evaluators.sample import RagSample


class Reader(Protocol):
    """Turns the spans of a trace into a sample; never raises."""

    def read(self, trace: ClosedTrace) -> RagSample: ...


class Observer(Protocol):
    """Whoever acts on verdicts: the alert engine."""

    def observe(self, assessment: Assessment) -> None: ...


class Relay(Protocol):
    """Hands verdicts to other processes. `done` is called once they are safe there."""

    @property
    def has_room(self) -> bool: ...

    def put(self, assessment: Assessment, done: Callable[[], None]) -> None: ...


class Joiner(Protocol):
    """Adds to the spans of a trace what came for them another way."""

    def join(self, trace: ClosedTrace) -> ClosedTrace: ...


class Resolver(Protocol):
    """Completes samples with what their traces only point to. `submit` never raises and calls `done` once."""

    @property
    def has_room(self) -> bool: ...

    def wants(self, sample: RagSample) -> bool: ...

    def submit(self, sample: RagSample, done: Callable[[RagSample], None]) -> None: ...
