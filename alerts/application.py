"""What the application itself takes: latency, tokens and cost, by service. What judges cost is counted apart."""

from alerts.series import SeriesRegistry
from evaluators.consumption import consumption
from evaluators.prices import PriceTable, Unpriced
from evaluators.sample import RagSample, Readiness

LATENCY_BUCKETS = (0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
MAX_LATENCIES = 60


class ApplicationSeries:
    """Counts each trace that is read: those that a judge's sampling may take."""

    def __init__(self, series: SeriesRegistry, prices: PriceTable) -> None:
        self._prices = prices
        self._latency = series.histogram(
            "app_latency_seconds",
            "From start to end of the application's traces.",
            LATENCY_BUCKETS,
            "service",
            limit=MAX_LATENCIES,
        )
        self._tokens = series.counter("app_tokens", "Tokens of the application's model calls.", "service", "direction")
        self._cost = series.counter("app_cost_usd", "Cost of the application's model calls.", "service")
        self._unpriced = series.counter(
            "app_unpriced_traces",
            "Traces whose cost is not known, or not wholly: a call tells no tokens, or its model has no price.",
            "service",
            "reason",
        )

    def count(self, sample: RagSample) -> None:
        """Count a trace that retrieves or calls a model, unless it is none of the application's traffic.

        One that a late span opened again was counted before.
        """
        if sample.excluded or sample.revision or (sample.readiness is Readiness.NO_RETRIEVAL and not sample.tokens):
            return
        service, used = sample.service, consumption(sample, self._prices)
        if used.latency_s is not None:
            self._latency(service).observe(used.latency_s, {"trace_id": sample.trace_id[:32]})
        self._tokens(service, "input").inc(used.input_tokens)
        self._tokens(service, "output").inc(used.output_tokens)
        self._cost(service).inc(used.cost_usd)
        for reason in Unpriced:
            self._unpriced(service, reason).inc(reason is used.unpriced)
