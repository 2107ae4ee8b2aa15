"""Rule kind `no_data`: a service that used to send traces is silent. Absent is not good."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from alerts.rules.base import TRAFFIC, Case, Condition, Count, Observation, Reading, RuleSettings, Watch
from alerts.windows import Tally
from evaluators.duration import Duration, PositiveDuration, format_duration

DAY = 86_400.0
GAP_DAYS = 8
"""Usual gaps are remembered for this long: a week, so that weekends are known, and the day around it."""


class NoDataRule(RuleSettings):
    """Breached when a service was silent for `window` and for `factor` times its longest gap of the last eight days.

    A service is missed only once it is known: after `min_n` traces over at least `min_history`, so that the first
    night is learned instead of reported. `factor: 0` and `min_history: 0s` make it a plain timeout.
    """

    per_judge: ClassVar[bool] = False
    holds: ClassVar[bool] = False
    cites: ClassVar[bool] = False

    kind: Literal["no_data"] = "no_data"
    window: PositiveDuration = 3600.0
    factor: Annotated[float, Field(ge=0.0, le=100.0)] = 2.0
    min_history: Duration = DAY
    min_n: Count = 20
    forget: PositiveDuration = 7 * DAY

    @property
    def observes(self) -> str:
        """Any trace that was looked at."""
        return TRAFFIC

    @property
    def forget_after(self) -> float:
        """A service that is gone for good is not missed for ever."""
        return max(self.forget, self.window)

    def watch(self) -> Watch:
        """Remembers gaps."""
        return SilenceWatch(self)

    def title(self, case: Case) -> str:
        """The service."""
        return case.subject

    def sentence(self, case: Case) -> str:
        """How long it has been silent."""
        if case.reading.condition is Condition.CLEAR:
            return "traces arrive again"
        return f"no traces for {format_duration(case.reading.silent_s)}"


class SilenceWatch:
    """When traces came, and the longest gap between two of them on each of the last days."""

    def __init__(self, rule: NoDataRule) -> None:
        self._rule = rule
        self._first = self._last = 0.0
        self._gaps: dict[int, float] = {}
        self._tally = Tally()

    @property
    def tally(self) -> Tally:
        """How many traces were seen."""
        return self._tally

    def fails(self, value: float) -> bool:
        """A trace that came is never a failure."""
        return False

    def add(self, at: float, observation: Observation) -> int:
        """A trace came."""
        if not self._tally.n:
            self._first = self._last = at
        day = int(at // DAY)
        self._gaps[day] = max(self._gaps.get(day, 0.0), at - self._last)
        while next(iter(self._gaps)) <= day - GAP_DAYS:
            del self._gaps[next(iter(self._gaps))]
        self._last = at
        self._tally.add(observation.value, False, "")
        return 0

    def retract(self, place: int, observation: Observation) -> None:
        """What was seen was seen, whatever its verdict."""

    def read(self, now: float, *, active: bool) -> Reading:
        """Breached by a silence that is long and unusual."""
        silent, rule = now - self._last, self._rule
        limit = max(rule.window, rule.factor * max(self._gaps.values(), default=0.0))
        if silent <= limit:
            return Reading(Condition.CLEAR, silent_s=silent)
        known = self._tally.n >= rule.min_n and self._last - self._first >= rule.min_history
        return Reading(Condition.BREACH if known else Condition.TOO_FEW, silent_s=silent)
