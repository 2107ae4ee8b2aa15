"""Several observers as one."""

from typing import Protocol

from evaluators.evaluation import Assessment


class Observer(Protocol):
    """Whoever acts on verdicts."""

    def observe(self, assessment: Assessment) -> None: ...


class Observers:
    """Tells each in turn."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def observe(self, assessment: Assessment) -> None:
        """A verdict."""
        for observer in self._observers:
            observer.observe(assessment)
