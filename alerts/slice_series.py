"""Scores and traffic of parts of a service's traffic, by the values of attributes of its traces."""

from collections.abc import Iterator, Mapping, Sequence

from alerts.labels import OTHER, LabelValues, line_size
from alerts.series import SeriesRegistry
from alerts.slices import MAX_VALUE, NONE
from evaluators.evaluation import Assessment, Scored
from evaluators.metrics import METRICS
from evaluators.sample import RagSample, Readiness

MAX_VALUES = 20
"""Values of one attribute of one service that are told apart; what is more is `__other__`."""

ROOM = 25_000
"""Bytes of each counter's series in a scrape; a slice that comes later is `__other__` of the service `__other__`."""

_NAMES = 60
"""Bytes of the names of its five labels beyond those of ordinary series."""


class SliceSeries:
    """Counters by attribute and value, from which Prometheus computes means and shares with their intervals.

    An attribute that no trace of a service carries makes no series; from the first that does, traces without it are
    `__none__`. Each attribute cuts the same traffic anew: sum over values, never over attributes. `overflows` counts
    the values that were replaced.
    """

    def __init__(self, series: SeriesRegistry, attributes: Sequence[str]) -> None:
        self._attributes = attributes
        self._service = series.guard("service")
        self._values: dict[tuple[str, str], LabelValues] = {}
        self._trace_room, self._score_room = _Room(), _Room()
        labels = ("service", "metric", "judge", "attribute", "value")
        self._scores = series.counter("slice_scores", "Scores by slice.", *labels)
        self._bad = series.counter("slice_scores_bad", "Scores at or past the metric's threshold by slice.", *labels)
        self._sum = series.counter("slice_score_sum", "Sum of the scores by slice.", *labels)
        self._traces = series.counter(
            "slice_traces", "Traces with a retrieval by slice.", "service", "attribute", "value"
        )
        series.count_overflows("value", self)

    @property
    def overflows(self) -> int:
        """How many values were replaced."""
        replaced = sum(values.overflows for values in self._values.values())
        return replaced + self._trace_room.overflows + self._score_room.overflows

    def trace(self, sample: RagSample) -> None:
        """Count a trace that was read, unless it has no retrieval, is not to be judged, or was counted before."""
        if sample.excluded or sample.revision or sample.readiness is Readiness.NO_RETRIEVAL:
            return
        for slice_ in self._slices(sample.service, sample.attributes):
            self._traces(*self._trace_room(slice_)).inc()

    def assessment(self, assessment: Assessment) -> None:
        """Count the scores of one judge on one sample."""
        sample, judge = assessment.sample, assessment.judge
        scores = [(one.metric, one.outcome.value) for one in assessment.evaluations if isinstance(one.outcome, Scored)]
        if not scores:
            return
        for slice_ in self._slices(sample.service, sample.attributes):
            service, attribute, part = slice_
            for metric, value in scores:
                labels = self._score_room((service, metric, judge, attribute, part))
                self._scores(*labels).inc()
                self._bad(*labels).inc(_is_at_or_past(metric, value))
                self._sum(*labels).inc(value)

    def _slices(self, service: str, attributes: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
        service = self._service(service)
        for name in self._attributes:
            values = self._values.get((service, name))
            if values is None:
                if not attributes.get(name):
                    continue
                values = self._values[service, name] = LabelValues(MAX_VALUES)
            yield service, name, values((attributes.get(name) or NONE)[:MAX_VALUE])


class _Room:
    """Which label values have a series, as long as there is room."""

    def __init__(self) -> None:
        self.overflows = 0
        self._left = ROOM
        self._known: set[tuple[str, ...]] = set()

    def __call__(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        if labels in self._known:
            return labels
        if (size := line_size(labels) + _NAMES) > self._left:
            self.overflows += 1
            return OTHER, *labels[1:-1], OTHER
        self._left -= size
        self._known.add(labels)
        return labels


def _is_at_or_past(metric: str, value: float) -> bool:
    """As the buckets of the whole service's scores count: one that lies on the threshold is bad where high is good."""
    known = METRICS.get(metric)
    return known is not None and (known.is_bad(value) or (known.higher_is_better and value == known.threshold))
