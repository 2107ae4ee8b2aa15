"""Rule kind `trace`: one bad trace is enough; those that follow belong to the same alert."""

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from alerts.counted import counted
from alerts.rules.base import (
    CONTRADICTED,
    Case,
    Condition,
    Count,
    MetricName,
    Reading,
    RuleSettings,
    Share,
    Watch,
)
from alerts.rules.watching import WindowedWatch
from evaluators.duration import PositiveDuration
from evaluators.metrics import METRICS


class TraceRule(RuleSettings):
    """Breached when `min_n` traces failed within `cooldown`; clear when none did.

    A trace fails when a chunk contradicts one of its claims (`contradicted: true`), or when its `metric` is past
    `threshold` (the metric's own by default) on the bad side.
    """

    leads_with_finding: ClassVar[bool] = True

    kind: Literal["trace"] = "trace"
    contradicted: bool = False
    metric: MetricName | None = None
    threshold: Share | None = None
    min_n: Count = 1
    cooldown: PositiveDuration = 900.0

    @model_validator(mode="after")
    def _one_condition(self) -> Self:
        if self.contradicted == (self.metric is not None):
            raise ValueError("a trace rule has either `contradicted: true` or a `metric`")
        if self.contradicted and self.threshold is not None:
            raise ValueError("`threshold` belongs to a `metric`")
        return self

    @property
    def observes(self) -> str:
        """The metric, or whether a claim is contradicted."""
        return self.metric or CONTRADICTED

    @property
    def about(self) -> str:
        """A contradicted claim is a lack of faithfulness."""
        return self.metric or "faithfulness"

    @property
    def limit(self) -> float:
        """The value past which a trace fails."""
        if self.metric is None:
            return 0.0
        return METRICS[self.metric].threshold if self.threshold is None else self.threshold

    @property
    def higher_is_worse(self) -> bool:
        """The metric's direction."""
        return self.metric is None or not METRICS[self.metric].higher_is_better

    @property
    def remembers(self) -> float:
        """As long as a failure keeps the alert up."""
        return self.cooldown

    def watch(self) -> Watch:
        """Counts failures over the cooldown."""
        return TraceWatch(self)

    def badness(self, value: float) -> float:
        """Past the limit the furthest first."""
        return value if self.higher_is_worse else -value

    def sentence(self, case: Case) -> str:
        """Says how many traces failed since the alert was raised."""
        if self.contradicted:
            return (
                "1 answer contradicts its chunks" if case.hits == 1 else f"{case.hits} answers contradict their chunks"
            )
        side = "above" if self.higher_is_worse else "below"
        return f"{counted(case.hits, 'trace')} {side} {self.limit:g}"


class TraceWatch(WindowedWatch):
    """Failures of the last `cooldown` seconds."""

    def __init__(self, rule: TraceRule) -> None:
        super().__init__(rule.cooldown)
        self._rule = rule
        self._limit, self._higher_is_worse = rule.limit, rule.higher_is_worse

    def fails(self, value: float) -> bool:
        """Whether the value is past the limit on the bad side."""
        return value > self._limit if self._higher_is_worse else value < self._limit

    def read(self, now: float, *, active: bool) -> Reading:
        """Breached by `min_n` failures, clear without any."""
        self._window.expire(now)
        failures = self._window.tally.failures
        limit = None if self._rule.contradicted else self._limit
        if failures >= self._rule.min_n:
            return Reading(Condition.BREACH, limit=limit)
        return Reading(Condition.UNSURE if failures else Condition.CLEAR, limit=limit)
