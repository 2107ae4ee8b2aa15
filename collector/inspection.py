"""What `groundwatch inspect` found in the files that it was given."""

from collections import Counter
from dataclasses import dataclass, field

from collector.conventions.reader import Examination


@dataclass(slots=True)
class Inspection:
    """What the files held.

    `examinations` are the traces with at least one recognised span, oldest first. `problems` tell what could not be
    read, each with its file. `received` counts all spans, `rejected` those refused by reason. `names` are the first
    MAX_NAMES different ones of spans.
    """

    examinations: list[Examination] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    received: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    names: list[str] = field(default_factory=list)

    @property
    def is_unmarked(self) -> bool:
        """Whether there are spans, and none of them is recognised."""
        return not self.examinations and self.received > self.rejected.total()

    def spans_dropped(self, reason: str, count: int) -> None:
        """Count spans that the assembler did not keep."""
        self.rejected[reason] += count
