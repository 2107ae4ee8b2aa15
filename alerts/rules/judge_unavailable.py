"""Rule kind `judge_unavailable`: a judge's breaker is open. It is the cause; quality rules hold meanwhile."""

import math
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from alerts.rules.base import BREAKER, Case, Condition, Observation, Reading, RuleSettings, Watch
from alerts.windows import Tally
from evaluators.duration import Duration


class JudgeUnavailableRule(RuleSettings):
    """Breached while the breaker of a judge is not closed."""

    holds: ClassVar[bool] = False
    cites: ClassVar[bool] = False

    kind: Literal["judge_unavailable"] = "judge_unavailable"
    for_: Duration = Field(default=30.0, alias="for")

    @model_validator(mode="after")
    def _has_no_slices(self) -> Self:
        if self.slice:
            raise ValueError("`slice` makes no sense here: a judge has no attributes of traces")
        return self

    @property
    def observes(self) -> str:
        """States of breakers."""
        return BREAKER

    @property
    def forget_after(self) -> float:
        """A judge stays known as long as the monitor runs."""
        return math.inf

    def watch(self) -> Watch:
        """Remembers the last state."""
        return BreakerWatch()

    def matches(self, service: str, judge: str) -> bool:
        """A judge belongs to no service."""
        return self.judge in (None, judge)

    def title(self, case: Case) -> str:
        """The judge."""
        return f"judge {case.judge}"

    def sentence(self, case: Case) -> str:
        """What it means for other alerts."""
        if case.reading.condition is Condition.CLEAR:
            return "answers again"
        return "unavailable; alerts on quality keep their state until it answers again"


class BreakerWatch:
    """The last state of a breaker."""

    def __init__(self) -> None:
        self._state = 0.0
        self._tally = Tally()

    @property
    def tally(self) -> Tally:
        """Nothing is counted."""
        return self._tally

    def fails(self, value: float) -> bool:
        """Any state but closed."""
        return value > 0.0

    def add(self, at: float, observation: Observation) -> int:
        """The breaker changed."""
        self._state = observation.value
        return 0

    def retract(self, place: int, observation: Observation) -> None:
        """A state is not taken back."""

    def read(self, now: float, *, active: bool) -> Reading:
        """Half open is a question, not an answer: the judge is still gone."""
        return Reading(Condition.BREACH if self._state > 0.0 else Condition.CLEAR)
