"""Rule kind `slo`: an objective for the quality of answers, watched by several burn rates at once."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from alerts.rules.base import Causes, Confidence, Count, MetricName, RuleSettings, Severity, Share
from alerts.rules.burn_rate import BurnRateRule, Factor, Objective
from alerts.strict import Strict
from evaluators.duration import PositiveDuration


class Burn(Strict):
    """How many times too fast the budget may burn, over which windows, and how soon a person should look."""

    factor: Factor
    long: PositiveDuration
    short: PositiveDuration
    severity: Annotated[Severity, Field(strict=False)]


PAGE = Burn(factor=14.4, long=3600.0, short=300.0, severity=Severity.PAGE)
TICKET = Burn(factor=6.0, long=6 * 3600.0, short=1800.0, severity=Severity.TICKET)


class SloRule(RuleSettings):
    """Shorthand for one `burn_rate` rule per burn, called after its severity: `<name>_page`, `<name>_ticket`.

    While the first burn fires the others are not told: it says the same, and sooner.
    """

    kind: Literal["slo"] = "slo"
    inhibited_by: Causes = ("judge_unavailable", "empty_retrieval")
    metric: MetricName = "faithfulness"
    fails_past: Share | None = None
    objective: Objective = 0.95
    period: PositiveDuration = 30 * 86_400.0
    burns: Annotated[tuple[Burn, ...], Field(strict=False, min_length=1)] = (PAGE, TICKET)
    min_n: Count = 30
    confidence: Confidence = 0.95

    @model_validator(mode="after")
    def _has_parts(self) -> Self:
        if len({burn.severity for burn in self.burns}) < len(self.burns):
            raise ValueError("`burns`: each needs a `severity` of its own")
        self.parts()
        return self

    def parts(self) -> tuple[RuleSettings, ...]:
        """The rules that do the work."""
        shared = self.model_dump(exclude={"kind", "name", "burns", "severity", "for_", "inhibited_by"})
        rules: list[RuleSettings] = []
        for burn in self.burns:
            told = tuple(rule.name for rule in rules)
            name = f"{self.name[:56]}_{burn.severity}"
            own = {**burn.model_dump(), "name": name, "for_": self.for_, "inhibited_by": (*self.inhibited_by, *told)}
            rules.append(BurnRateRule(**shared, **own))
        return tuple(rules)
