"""A registry of Prometheus series with guarded labels, and its rendering."""

from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.process_collector import ProcessCollector

from alerts.labels import Child, Family, LabelValues, Overflowing

TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"

MAX_SERIES = 800
MAX_HISTOGRAMS = 440
"""Of one name; a histogram is a dozen series. Together they keep a scrape at about a megabyte."""

_DEFAULT_LIMIT = 64


class SeriesRegistry:
    """Makes counters, gauges and histograms of the namespace `groundwatch`.

    `limits`: how many values a label may take, by label name. All families share the guard of a label, so that the
    same services are known everywhere, up to what a family may hold in all.
    """

    def __init__(self, limits: Mapping[str, int]) -> None:
        self._limits = limits
        self._guards: dict[str, LabelValues] = {}
        self._counted: list[tuple[str, Overflowing]] = []
        self._told: dict[str, int] = {}
        self._registry = CollectorRegistry(auto_describe=False)
        ProcessCollector(registry=self._registry)
        self._overflow = Counter(
            "groundwatch_label_overflow_total",
            "Values replaced by __other__ because their label has too many.",
            ["label"],
            registry=self._registry,
        )

    def counter(self, name: str, text: str, *labels: str) -> Family[Counter]:
        """A counter; `_total` is added to its name."""
        return self._family(Counter(f"groundwatch_{name}_total", text, labels, registry=self._registry), labels)

    def gauge(self, name: str, text: str, *labels: str) -> Family[Gauge]:
        """A gauge."""
        return self._family(Gauge(f"groundwatch_{name}", text, labels, registry=self._registry), labels)

    def histogram(
        self, name: str, text: str, buckets: tuple[float, ...], *labels: str, limit: int = MAX_HISTOGRAMS
    ) -> Family[Histogram]:
        """A histogram with these upper bounds and +Inf; `limit` of them of ordinary size."""
        metric = Histogram(f"groundwatch_{name}", text, labels, registry=self._registry, buckets=buckets)
        return self._family(metric, labels, limit)

    def guard(self, label: str) -> LabelValues:
        """The guard of a label."""
        guard = self._guards.get(label)
        if guard is None:
            guard = self._guards[label] = LabelValues(self._limits.get(label, _DEFAULT_LIMIT))
            self.count_overflows(label, guard)
        return guard

    def count_overflows(self, label: str, values: Overflowing) -> None:
        """Expose how many values of a label were replaced by __other__."""
        self._overflow.labels(label)
        self._counted.append((label, values))

    def forget_overflows(self, values: Overflowing) -> None:
        """Let go of values whose time is over; what they replaced stays counted."""
        self.refresh()
        for label, one in list(self._counted):
            if one is values:
                self._counted.remove((label, one))
                self._told[label] -= one.overflows

    def refresh(self) -> None:
        """Bring the overflow counters up to date: counting each value at once would cost more than the value itself."""
        for label in {label for label, _ in self._counted}:
            total = sum(values.overflows for name, values in self._counted if name == label)
            counter = self._overflow.labels(label)
            counter.inc(total - self._told.get(label, 0))
            self._told[label] = total

    def render(self, accept: str) -> tuple[bytes, str]:
        """The exposition and its content type: OpenMetrics where the scraper takes it, else the text format."""
        exposed = _WithoutCreated(self._registry)
        if "application/openmetrics-text" in accept:
            return openmetrics.generate_latest(exposed, version="1.0.0"), OPENMETRICS  # type: ignore[no-untyped-call]
        return generate_latest(exposed), TEXT

    def _family(self, metric: Child, labels: tuple[str, ...], limit: int = MAX_SERIES) -> Family[Child]:
        spill = labels.index("service") if "service" in labels else None
        family = Family(metric, tuple(self.guard(label) for label in labels), limit, spill)
        self.count_overflows("service", family)
        return family


class _WithoutCreated(CollectorRegistry):
    """A registry without `_created` series: they double every counter, and nothing here reads them."""

    def __init__(self, registry: CollectorRegistry) -> None:
        super().__init__()
        self._inner = registry

    def collect(self) -> Iterator[Metric]:
        for metric in self._inner.collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric
