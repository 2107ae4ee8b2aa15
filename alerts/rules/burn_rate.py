"""Rule kind `burn_rate`: answers fail so often that an objective's error budget is spent before its period ends.

Two windows, as in the Site Reliability Workbook (https://sre.google/workbook/alerting-on-slos/): the long one
says that it matters, the short one that it still goes on, so that the alert ends soon after its cause.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from alerts.counted import counted
from alerts.rules.base import (
    Case,
    Causes,
    Condition,
    Confidence,
    Count,
    MetricName,
    Observation,
    Reading,
    RuleSettings,
    Share,
    Watch,
)
from alerts.rules.watching import WindowedWatch
from alerts.windows import Tally, Window
from evaluators.duration import PositiveDuration, format_duration
from evaluators.metrics import METRICS
from evaluators.statistics import tail_probability, wilson

Objective = Annotated[float, Field(gt=0.0, lt=1.0)]
Factor = Annotated[float, Field(gt=0.0, le=1000.0)]

_SHORT_BITS = 40


class BurnRateRule(RuleSettings):
    """Breached when the failure rate is above `factor` times the budget: by its whole interval over `long`, as such
    over `short`. Clear when `short` is below it.

    `objective` is the share of answers that shall be good; the rest is the budget of a `period`. An answer is good when
    its score is not past `fails_past` (the metric's own threshold by default).
    """

    kind: Literal["burn_rate"] = "burn_rate"
    inhibited_by: Causes = ("judge_unavailable", "empty_retrieval")
    metric: MetricName = "faithfulness"
    fails_past: Share | None = None
    objective: Objective = 0.95
    period: PositiveDuration = 30 * 86_400.0
    factor: Factor = 14.4
    long: PositiveDuration = 3600.0
    short: PositiveDuration = 300.0
    min_n: Count = 30
    confidence: Confidence = 0.95

    @model_validator(mode="after")
    def _can_fire(self) -> Self:
        if self.limit >= 1.0:
            budget = 1.0 - self.objective
            raise ValueError(
                f"`factor` {self.factor:g} times the budget of {budget:.1%} can never be exceeded: "
                f"choose a factor below {1 / budget:.3g}, or a higher `objective`"
            )
        if self.short >= self.long:
            raise ValueError("`short` must be shorter than `long`")
        return self

    @property
    def level(self) -> float:
        """One half of what lies outside the interval."""
        return (1.0 - self.confidence) / 2

    @property
    def limit(self) -> float:
        """The failure rate at which the budget burns `factor` times too fast."""
        return self.factor * (1.0 - self.objective)

    @property
    def observes(self) -> str:
        """The metric's values."""
        return self.metric

    @property
    def about(self) -> str:
        """The metric."""
        return self.metric

    @property
    def remembers(self) -> float:
        """The long window."""
        return self.long

    @property
    def forget_after(self) -> float:
        """A day, or as long as anything is remembered."""
        return max(86_400.0, self.long)

    @property
    def past(self) -> float:
        """The score that separates good from bad."""
        return METRICS[self.metric].threshold if self.fails_past is None else self.fails_past

    def watch(self) -> Watch:
        """Sums over both windows."""
        return BurnRateWatch(self)

    def badness(self, value: float) -> float:
        """The furthest on the metric's bad side first."""
        return -value if METRICS[self.metric].higher_is_better else value

    def decide(self, long: Tally, short: Tally) -> Reading:
        """The condition of the two windows."""
        now = wilson(long.failures, long.n, self.confidence)
        p = tail_probability(long.failures, long.n, self.limit) if self.is_compared(now.n) else None
        return Reading(self._condition(long, short, now.low), now, self.limit, p=p)

    def _condition(self, long: Tally, short: Tally, low: float) -> Condition:
        goes_on = short.n > 0 and short.failures > self.limit * short.n
        if short.n > 0 and not goes_on:
            return Condition.CLEAR
        if long.n < self.min_n:
            return Condition.TOO_FEW
        if low > self.limit and goes_on:
            return Condition.BREACH
        return Condition.UNSURE if long.failures > self.limit * long.n else Condition.CLEAR

    def sentence(self, case: Case) -> str:
        """How fast the budget burns, and when it will be gone."""
        now = case.reading.estimate
        if now is None:
            return "no value"
        budget = 1.0 - self.objective
        burn = now.value / budget
        side = "below" if METRICS[self.metric].higher_is_better else "above"
        ends = f"; at this rate the budget of {format_duration(self.period)} lasts "
        return (
            f"{now.value:.0%} of {counted(now.n, 'answer')} in {format_duration(self.long)} "
            f"score {side} {self.past:g}, {burn:.1f} times the budget of {budget:.2g} "
            f"({self.confidence:.0%} interval {now.low:.0%} to "
            f"{now.high:.0%}, limit {self.limit:.0%}){ends + format_duration(self.period / burn) if burn > 1 else ''}"
        )


class BurnRateWatch(WindowedWatch):
    """Sums over the long window, and over the short one."""

    def __init__(self, rule: BurnRateRule) -> None:
        super().__init__(rule.long)
        self._rule = rule
        self._short = Window(rule.short)
        self._higher_is_better = METRICS[rule.metric].higher_is_better
        self._past = rule.past

    def fails(self, value: float) -> bool:
        """Whether a single value is on the bad side."""
        return value < self._past if self._higher_is_better else value > self._past

    def add(self, at: float, observation: Observation) -> int:
        """Count a value in both; its place holds the buckets of both."""
        place = super().add(at, observation)
        short = self._short.add(at, observation.value, self.fails(observation.value), observation.cause)
        return place << _SHORT_BITS | short

    def retract(self, place: int, observation: Observation) -> None:
        """Take a value back from where it still is."""
        super().retract(place >> _SHORT_BITS, observation)
        short = place & (1 << _SHORT_BITS) - 1
        self._short.retract(short, observation.value, self.fails(observation.value), observation.cause)

    def read(self, now: float, *, active: bool) -> Reading:
        """The condition now."""
        self._window.expire(now)
        self._short.expire(now)
        return self._rule.decide(self._window.tally, self._short.tally)
