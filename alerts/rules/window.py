"""Rule kind `window`: a mean or a failure rate over a window, past a limit or past what is usual, interval and all."""

from collections.abc import Callable
from functools import partial
from typing import Literal, Self

from pydantic import model_validator

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
)
from alerts.rules.watching import WindowedWatch
from alerts.strict import Strict
from alerts.windows import Tally, Window
from evaluators.duration import PositiveDuration, format_duration
from evaluators.metrics import METRICS
from evaluators.statistics import Estimate, bounded_mean, difference, p_value, tail_probability, wilson


class Baseline(Strict):
    """What is usual for the service: its own last `window`, without what the rule looks at now.

    The rule is breached when the statistic got worse by more than `min_change`, with its interval. It says nothing
    before the baseline holds `min_n` traces.
    """

    window: PositiveDuration = 86_400.0
    min_change: Share = 0.2
    min_n: Count = 100


class WindowRule(RuleSettings):
    """Breached when the whole `confidence` interval of the statistic is past `threshold`, or worse than the `baseline`.

    `statistic`: the `mean` of the metric, or its `failure_rate`, the share of traces whose value is past `fails_past`
    (the metric's own threshold by default) on the bad side. A mean is bad on the metric's bad side, a failure rate is
    bad when it is high. With fewer than `min_n` traces nothing is raised. `clear` is the level at which the point
    estimate resolves the alert, `threshold` by default.
    """

    kind: Literal["window"] = "window"
    inhibited_by: Causes = ("judge_unavailable", "empty_retrieval")
    metric: MetricName
    statistic: Literal["mean", "failure_rate"] = "failure_rate"
    fails_past: Share | None = None
    threshold: Share | None = None
    clear: Share | None = None
    baseline: Baseline | None = None
    window: PositiveDuration = 1800.0
    min_n: Count = 30
    confidence: Confidence = 0.95

    @model_validator(mode="after")
    def _has_a_limit(self) -> Self:
        if self.threshold is None and self.baseline is None:
            raise ValueError("a window rule has a `threshold`, a `baseline`, or both")
        if self.clear is not None and self.threshold is None:
            raise ValueError("`clear` belongs to a `threshold`")
        if self.clear is not None and self.threshold is not None and self._worse(self.clear, self.threshold):
            raise ValueError("`clear` lies on the bad side of `threshold`: the alert could never stay raised")
        return self

    @property
    def level(self) -> float:
        """One half of what lies outside the interval."""
        return (1.0 - self.confidence) / 2

    @property
    def observes(self) -> str:
        """The metric's values."""
        return self.metric

    @property
    def about(self) -> str:
        """The metric."""
        return self.metric

    @property
    def higher_is_worse(self) -> bool:
        """Which side of the threshold is bad."""
        return self.statistic == "failure_rate" or not METRICS[self.metric].higher_is_better

    @property
    def remembers(self) -> float:
        """The window."""
        return self.window

    @property
    def forget_after(self) -> float:
        """A day, or as long as anything is remembered."""
        return max(86_400.0, self.window, self.baseline.window if self.baseline else 0.0)

    def watch(self) -> Watch:
        """Sums over the window, and over the baseline."""
        return WindowWatch(self)

    def badness(self, value: float) -> float:
        """The furthest on the metric's bad side first."""
        return -value if METRICS[self.metric].higher_is_better else value

    def estimate(self, tally: Tally) -> Estimate:
        """The statistic of a tally with its interval."""
        if self.statistic == "mean":
            return bounded_mean(tally.n, tally.total, tally.squares, self.confidence)
        return wilson(tally.failures, tally.n, self.confidence)

    def decide(self, tally: Tally, usual: Tally) -> Reading:
        """The condition of a window, given the baseline's tally (empty where there is none)."""
        now = self.estimate(tally)
        conditions: list[Condition] = []
        chances: list[Callable[[], float]] = []
        if self.threshold is not None:
            conditions.append(self._against_threshold(now, self.threshold))
            chances.append(partial(self._chance, tally, now, self.threshold))
        before = None
        if self.baseline and usual.n >= self.baseline.min_n:
            before = self.estimate(usual)
            change = difference(now, before) if self.higher_is_worse else difference(before, now)
            conditions.append(self._against_baseline(now.n, change, self.baseline.min_change))
            chances.append(partial(p_value, change, self.baseline.min_change, self.confidence, higher_is_worse=True))
        p = min(chance() for chance in chances) if chances and self.is_compared(now.n) else None
        return Reading(_combined(conditions), now, self.threshold, before, p=p)

    def _chance(self, tally: Tally, now: Estimate, threshold: float) -> float:
        if self.statistic == "failure_rate":
            return tail_probability(tally.failures, tally.n, threshold)
        return p_value(now, threshold, self.confidence, higher_is_worse=self.higher_is_worse)

    def _against_threshold(self, now: Estimate, threshold: float) -> Condition:
        clear = threshold if self.clear is None else self.clear
        worst, best = (now.high, now.low) if self.higher_is_worse else (now.low, now.high)
        if not self._worse(worst, clear):
            return Condition.CLEAR
        if now.n < self.min_n:
            return Condition.TOO_FEW
        if self._worse(best, threshold):
            return Condition.BREACH
        return Condition.UNSURE if self._worse(now.value, clear) else Condition.CLEAR

    def _against_baseline(self, n: int, change: Estimate, min_change: float) -> Condition:
        if change.high <= min_change:
            return Condition.CLEAR
        if n < self.min_n:
            return Condition.TOO_FEW
        if change.low > min_change:
            return Condition.BREACH
        return Condition.UNSURE if change.value > min_change else Condition.CLEAR

    def _worse(self, value: float, level: float) -> bool:
        return value > level if self.higher_is_worse else value < level

    def sentence(self, case: Case) -> str:
        """Value, interval, n, limit and what was usual."""
        estimate = case.reading.estimate
        if estimate is None:
            return "no value"
        within = f"of {counted(estimate.n, 'answer')} in {format_duration(self.window)}"
        interval = f"{self.confidence:.0%} interval {_show(estimate.low)} to {_show(estimate.high)}"
        limit = f", limit {_show(case.reading.limit)}" if case.reading.limit is not None else ""
        usual = f", usually {_show(case.reading.baseline.value)}" if case.reading.baseline else ""
        if self.statistic == "mean":
            return f"mean {_show(estimate.value)} {within} ({interval}{limit}{usual})"
        return f"{_show(estimate.value)} {within} {self._failing} ({interval}{limit}{usual})"

    @property
    def _failing(self) -> str:
        metric = METRICS[self.metric]
        past = metric.threshold if self.fails_past is None else self.fails_past
        return f"score {'below' if metric.higher_is_better else 'above'} {past:g}"


class WindowWatch(WindowedWatch):
    """Sums over the window; what leaves it joins the baseline, unless it belongs to an incident."""

    def __init__(self, rule: WindowRule) -> None:
        super().__init__(rule.window)
        metric = METRICS[rule.metric]
        self._rule = rule
        self._higher_is_better = metric.higher_is_better
        self._fails_past = metric.threshold if rule.fails_past is None else rule.fails_past
        self._usual = Window(rule.baseline.window if rule.baseline else rule.window)

    def fails(self, value: float) -> bool:
        """Whether a single value is on the bad side."""
        return value < self._fails_past if self._higher_is_better else value > self._fails_past

    def read(self, now: float, *, active: bool) -> Reading:
        """The condition now. The values of an incident never become what is usual."""
        gone = self._window.expire(now)
        if self._rule.baseline:
            self._usual.expire(now)
            for tally in () if active else gone:
                self._usual.merge(now, tally)
        return self._rule.decide(self._window.tally, self._usual.tally)


_ORDER = (Condition.BREACH, Condition.UNSURE, Condition.TOO_FEW, Condition.CLEAR)


def _combined(conditions: list[Condition]) -> Condition:
    """One breach raises, all must be clear to resolve; with nothing to compare to there is nothing to say."""
    return min(conditions, key=_ORDER.index, default=Condition.TOO_FEW)


def _show(value: float | None) -> str:
    return "none" if value is None else f"{value:.0%}"
