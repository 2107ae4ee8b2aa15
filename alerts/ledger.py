"""Which verdicts the rules have counted, so that a repeat counts once and a better one takes its place."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeVar

from evaluators.evaluation import Evaluation, Scored

CAPACITY = 20_000
"""Traces times judges that are remembered; a repeat of an older one counts again."""

Mark = TypeVar("Mark")


@dataclass(slots=True)
class Entry(Generic[Mark]):
    """What was counted for one evaluation: its id, whether it had a score, and what takes it back."""

    id: str
    scored: bool
    marks: list[Mark]


class Ledger(Generic[Mark]):
    """The last verdict of each trace, judge and metric."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[tuple[str, str], dict[str, Entry[Mark]]] = OrderedDict()

    def is_repeat(self, trace_id: str, evaluation: Evaluation) -> bool:
        """Whether this very evaluation was counted, and says nothing new: a score after a failure is news."""
        before = self._entries.get((trace_id, evaluation.judge), {}).get(evaluation.metric)
        if before is None or before.id != evaluation.id:
            return False
        return before.scored or not isinstance(evaluation.outcome, Scored)

    def take(self, trace_id: str, evaluation: Evaluation) -> list[Mark]:
        """Forget what the evaluation supersedes; returns the marks that take it back."""
        before = self._entries.get((trace_id, evaluation.judge), {}).pop(evaluation.metric, None)
        return before.marks if before else []

    def note(self, trace_id: str, evaluation: Evaluation, marks: list[Mark]) -> None:
        """Remember an evaluation as counted."""
        key = (trace_id, evaluation.judge)
        metrics = self._entries.get(key)
        if metrics is None:
            metrics = self._entries[key] = {}
            if len(self._entries) > self._capacity:
                self._entries.popitem(last=False)
        metrics[evaluation.metric] = Entry(evaluation.id, isinstance(evaluation.outcome, Scored), marks)
