"""Rule kind `empty_retrieval`: retrievals come back with nothing. It is a cause; quality rules wait for its end."""

from typing import ClassVar, Literal

from alerts.counted import counted
from alerts.rules.base import RETRIEVED, Case, Confidence, Count, Reading, RuleSettings, Share, Watch
from alerts.rules.rates import judge_rate
from alerts.rules.watching import ShareWatch
from alerts.windows import Tally
from evaluators.duration import PositiveDuration, format_duration
from evaluators.statistics import tail_probability, wilson


class EmptyRetrievalRule(RuleSettings):
    """Breached when the whole interval of empty retrievals / traces with a retrieval is above `threshold`."""

    per_judge: ClassVar[bool] = False
    holds: ClassVar[bool] = False

    kind: Literal["empty_retrieval"] = "empty_retrieval"
    threshold: Share = 0.3
    window: PositiveDuration = 900.0
    min_n: Count = 20
    confidence: Confidence = 0.95

    @property
    def level(self) -> float:
        """One half of what lies outside the interval."""
        return (1.0 - self.confidence) / 2

    @property
    def observes(self) -> str:
        """Whether a trace's retrieval returned anything."""
        return RETRIEVED

    @property
    def remembers(self) -> float:
        """The window."""
        return self.window

    def watch(self) -> Watch:
        """Counts traces with and without chunks."""
        return ShareWatch(self)

    def decide(self, tally: Tally) -> Reading:
        """The condition of a window."""
        now = wilson(tally.failures, tally.n, self.confidence)
        p = tail_probability(tally.failures, tally.n, self.threshold) if self.is_compared(now.n) else None
        return Reading(judge_rate(now, self.threshold, self.min_n), now, self.threshold, p=p)

    def title(self, case: Case) -> str:
        """Retrieval, not the answers."""
        return f"retrieval of {case.subject}"

    def sentence(self, case: Case) -> str:
        """How many came back empty."""
        now = case.reading.estimate
        if now is None:
            return "no value"
        return (
            f"{round(now.value * now.n)} of {counted(now.n, 'retrieval')} in {format_duration(self.window)} "
            f"returned nothing ({now.value:.0%}, {self.confidence:.0%} interval {now.low:.0%} to {now.high:.0%}, "
            f"limit {self.threshold:.0%})"
        )
