"""Rule kind `coverage`: the monitor is going blind. Eligible traces are no longer scored."""

from typing import ClassVar, Literal

from alerts.counted import counted
from alerts.rules.base import (
    Case,
    Causes,
    Condition,
    Confidence,
    Count,
    MetricName,
    Reading,
    RuleSettings,
    Share,
    Watch,
    coverage_key,
)
from alerts.rules.watching import ShareWatch
from alerts.windows import Tally
from evaluators.duration import PositiveDuration, format_duration
from evaluators.statistics import tail_probability, wilson


class CoverageRule(RuleSettings):
    """Breached when the whole interval of scored / eligible is below `threshold`. Judges count together."""

    per_judge: ClassVar[bool] = False
    cites: ClassVar[bool] = False

    kind: Literal["coverage"] = "coverage"
    inhibited_by: Causes = ("judge_unavailable",)
    metric: MetricName = "faithfulness"
    threshold: Share = 0.5
    window: PositiveDuration = 3600.0
    min_n: Count = 30
    confidence: Confidence = 0.95

    @property
    def level(self) -> float:
        """One half of what lies outside the interval."""
        return (1.0 - self.confidence) / 2

    @property
    def observes(self) -> str:
        """Whether eligible traces got a score."""
        return coverage_key(self.metric)

    @property
    def about(self) -> str:
        """The metric whose scores are missing."""
        return self.metric

    @property
    def higher_is_worse(self) -> bool:
        """Low coverage is bad."""
        return False

    @property
    def forget_after(self) -> float:
        """A day, or as long as anything is remembered."""
        return max(86_400.0, self.window)

    def watch(self) -> Watch:
        """Counts scored and eligible."""
        return ShareWatch(self)

    def decide(self, tally: Tally) -> Reading:
        """The condition of a window."""
        now = wilson(tally.n - tally.failures, tally.n, self.confidence)
        condition = self._condition(now.value, now.low, now.high, now.n)
        p = tail_probability(tally.failures, tally.n, 1.0 - self.threshold) if self.is_compared(now.n) else None
        return Reading(condition, now, self.threshold, p=p)

    def _condition(self, value: float, low: float, high: float, n: int) -> Condition:
        if low >= self.threshold:
            return Condition.CLEAR
        if n < self.min_n:
            return Condition.TOO_FEW
        if high < self.threshold:
            return Condition.BREACH
        return Condition.CLEAR if value >= self.threshold else Condition.UNSURE

    def title(self, case: Case) -> str:
        """Coverage, not quality."""
        return f"coverage of {case.subject}"

    def sentence(self, case: Case) -> str:
        """How many were scored, and the main reason why others were not."""
        estimate = case.reading.estimate
        if estimate is None:
            return "no value"
        reason = f", mostly {case.cause}" if case.cause else ""
        return (
            f"{round(estimate.value * estimate.n)} of {counted(estimate.n, 'eligible trace')} "
            f"got a {self.metric} score in {format_duration(self.window)}{reason} "
            f"({estimate.value:.0%}, {self.confidence:.0%} interval "
            f"{estimate.low:.0%} to {estimate.high:.0%}, limit {self.threshold:.0%})"
        )
