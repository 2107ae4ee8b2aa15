"""Rule kind `injection`: text of a trace gives orders to a model. A poisoned corpus is one alert, whoever asks."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from alerts.counted import counted
from alerts.findings import Finding
from alerts.rules.base import SUSPICION, Case, Condition, Count, Reading, RuleSettings, Watch
from alerts.rules.watching import WindowedWatch
from alerts.suspicions import gravest, is_of
from evaluators.duration import PositiveDuration
from evaluators.evaluation import Assessment
from evaluators.sample import Place

Places = Annotated[tuple[Annotated[Place, Field(strict=False)], ...], Field(strict=False, min_length=1)]


class InjectionRule(RuleSettings):
    """Breached when `min_n` traces with a suspected injection came within `cooldown`; clear when none did.

    `places` are those that count. Questions do not by default: the users of a public application try every day.
    """

    per_judge: ClassVar[bool] = False
    holds: ClassVar[bool] = False
    leads_with_finding: ClassVar[bool] = True

    kind: Literal["injection"] = "injection"
    places: Places = (Place.CHUNK, Place.ANSWER)
    min_n: Count = 1
    cooldown: PositiveDuration = 900.0

    @property
    def observes(self) -> str:
        """Where a trace holds a suspected injection."""
        return SUSPICION

    @property
    def remembers(self) -> float:
        """As long as a suspicion keeps the alert up."""
        return self.cooldown

    def watch(self) -> Watch:
        """Counts traces over the cooldown."""
        return InjectionWatch(self)

    def finding(self, assessment: Assessment) -> Finding:
        """Where the order stands, and its words."""
        return Finding.of_suspicion(assessment, gravest(assessment.sample.suspicions, self.places))

    def title(self, case: Case) -> str:
        """The traffic, not its quality."""
        return f"suspected injection in {case.subject}"

    def sentence(self, case: Case) -> str:
        """How many traces hold one."""
        return f"{counted(case.hits, 'trace')} with text that gives orders to a model"


class InjectionWatch(WindowedWatch):
    """Traces with a suspicion in the last `cooldown` seconds, among all."""

    def __init__(self, rule: InjectionRule) -> None:
        super().__init__(rule.cooldown)
        self._rule = rule

    def fails(self, value: float) -> bool:
        """Whether the suspicion is in one of the rule's places."""
        return is_of(value, self._rule.places)

    def read(self, now: float, *, active: bool) -> Reading:
        """Breached by `min_n` traces, clear without any."""
        self._window.expire(now)
        failures = self._window.tally.failures
        if failures >= self._rule.min_n:
            return Reading(Condition.BREACH)
        return Reading(Condition.UNSURE if failures else Condition.CLEAR)
