"""The monitor's own series for Prometheus."""

import math
import platform
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version

from alerts.coverage import is_eligible, label_of
from alerts.labels import Overflowing
from alerts.series import SeriesRegistry
from alerts.windows import Window
from evaluators.clock import Clock, SystemClock
from evaluators.evaluation import Assessment, Diagnosis, Evaluation, Scored
from evaluators.prices import Unpriced
from evaluators.sample import Place

SCORE_BUCKETS = (0.0, 0.2, 0.5, 0.8, 0.85, 0.9)
"""0 tells "no claim contradicted" from "some"; the others lie at the thresholds that people use."""

AGE_BUCKETS = (0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0)
LATENCY_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
LAG_BUCKETS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)

COVERAGE_WINDOW_S = 3600.0

BREAKER_STATES = ("closed", "half_open", "open")

MAX_SERVICES = 100


class Metrics:
    """Every series of one monitor, in a registry of its own.

    All methods are cheap enough for the event loop and take any text as label value: it is cleaned, cut and capped.
    `expect_*` make series exist at 0 before their first event, so that `rate()` sees it.
    Names and labels are the public contract with dashboards and rules.
    """

    def __init__(self, clock: Clock | None = None, *, max_services: int = MAX_SERVICES) -> None:
        self._clock = clock or SystemClock()
        self._series = SeriesRegistry({"service": max_services, "rule": 200, "value": 200})
        self._coverage_windows: dict[tuple[str, str], Window] = {}
        self._gauges: list[Callable[[], None]] = []
        self._make_verdict_series(self._series)
        self._make_input_series(self._series)
        self._make_judge_series(self._series)
        self._make_alert_series(self._series)

    @property
    def series(self) -> SeriesRegistry:
        """Where components that are not always there add their own series."""
        return self._series

    def _make_input_series(self, series: SeriesRegistry) -> None:
        self._received = series.counter("spans_received", "Spans received, accepted or not.", "receiver")
        self._ordinary = series.counter("spans_ordinary", "Spans without a marker, which are not kept.", "receiver")
        self._rejected = series.counter("spans_rejected", "Spans refused.", "receiver", "reason")
        self._dropped = series.counter("spans_dropped", "Accepted spans that no trace took.", "reason")
        self._traces = series.counter("traces", "Closed traces by what became of them.", "service", "outcome")
        self._open_traces = series.gauge("open_traces", "Traces that still wait for spans.")
        self._open_bytes = series.gauge("open_trace_bytes", "Bytes held for traces that still wait for spans.")
        self._lag = series.histogram("event_loop_lag_seconds", "How late the event loop ran a timer.", LAG_BUCKETS)
        build = series.gauge("build_info", "Version of the running monitor.", "version", "python")
        build(_version(), platform.python_version()).set(1)
        for reason in ("duplicate", "late", "trace_cap"):
            self._dropped(reason)

    def _make_verdict_series(self, series: SeriesRegistry) -> None:
        self._score = series.histogram("score", "Scores in 0..1.", SCORE_BUCKETS, "service", "metric", "judge")
        self._coverage = series.gauge(
            "coverage_ratio",
            "Scored / eligible evaluations of the last hour;"
            " judges count together, groundwatch_judge_calls_total tells which.",
            "service",
            "metric",
        )
        self._evaluations = series.counter(
            "evaluations", "Outcomes of metrics on traces.", "service", "metric", "outcome", "reason"
        )
        self._diagnoses = series.counter(
            "diagnoses", "Root causes of weak answers, and none for the others.", "service", "judge", "diagnosis"
        )
        self._injections = series.counter(
            "injections_suspected",
            "Traces that were read and hold text which gives orders to a model, by the gravest place of it.",
            "service",
            "place",
        )
        self._age = series.histogram(
            "verdict_age_seconds",
            "From a trace's closing (assembly.grace_s after its root ended) to its verdict.",
            AGE_BUCKETS,
            "judge",
        )

    def _make_judge_series(self, series: SeriesRegistry) -> None:
        self._calls = series.counter("judge_calls", "Calls of judges.", "judge", "facet", "outcome")
        self._latency = series.histogram(
            "judge_latency_seconds", "Time of a judge call.", LATENCY_BUCKETS, "judge", "facet"
        )
        self._tokens = series.counter("judge_tokens", "Tokens that judges reported.", "judge", "direction")
        self._judge_cost = series.counter("judge_cost_usd", "Cost of judge calls, by the prices set.", "judge")
        self._judge_unpriced = series.counter(
            "judge_calls_unpriced",
            "Calls whose cost is not known: no price for the model, or no tokens told (time-outs).",
            "judge",
            "reason",
        )
        self._cache = series.counter("cache_requests", "Look-ups in the verdict cache.", "result")
        self._depth = series.gauge("queue_depth", "Samples that wait for a judge.", "judge")
        self._breaker = series.gauge("judge_breaker_state", "1 for the state of a judge's breaker.", "judge", "state")
        for result in ("hit", "miss", "joined", "shared_hit", "shared_wait", "write_dropped", "error"):
            self._cache(result)

    def _make_alert_series(self, series: SeriesRegistry) -> None:
        self._signals = series.counter("signals", "Alerts raised.", "rule", "service", "severity")
        self._inhibited = series.counter(
            "signals_inhibited", "Alerts that were not raised because their cause was told.", "rule", "service"
        )
        self._firing = series.gauge("rule_firing", "1 while a rule fires for a service.", "rule", "service")
        self._notifications = series.counter("notifications", "Signals handed to a notifier.", "notifier", "outcome")
        self._written = series.counter("written_back", "Results for the trace backend.", "kind", "outcome")
        self._pending = series.gauge(
            "notifications_pending", "Signals that a notifier still has to be told.", "notifier"
        )

    # Receivers and assembly

    def expect_receiver(self, receiver: str, reasons: Iterable[str] = ()) -> None:
        """Series of a receiver and the reasons for which it rejects spans."""
        self._received(receiver)
        self._ordinary(receiver)
        for reason in reasons:
            self._rejected(receiver, reason)

    def spans_received(self, receiver: str, count: int = 1) -> None:
        """Count spans that arrived."""
        self._received(receiver).inc(count)

    def spans_ordinary(self, receiver: str, count: int = 1) -> None:
        """Count spans without a marker."""
        self._ordinary(receiver).inc(count)

    def spans_rejected(self, receiver: str, reason: str, count: int = 1) -> None:
        """Count spans that were refused."""
        self._rejected(receiver, reason).inc(count)

    def spans_dropped(self, reason: str, count: int = 1) -> None:
        """Count accepted spans that no trace took: duplicate, late, trace_cap."""
        self._dropped(reason).inc(count)

    def trace(self, service: str, outcome: str) -> None:
        """Count a closed trace: its readiness, or partial, superseded, evicted, sampled_out, excluded, failed."""
        self._traces(service, outcome).inc()

    def watch_open_traces(self, count: Callable[[], int], size: Callable[[], int]) -> None:
        """Read the number and the bytes of open traces at each scrape."""
        self._gauges.append(lambda: self._open_traces().set(count()))
        self._gauges.append(lambda: self._open_bytes().set(size()))

    def loop_lag(self, seconds: float) -> None:
        """How late a timer ran."""
        self._lag().observe(max(0.0, seconds))

    # Verdicts

    def assessment(self, assessment: Assessment) -> None:
        """Count all outcomes of one judge on one sample; the trace id goes along as exemplar only.

        Of a verdict that supersedes an earlier one pass only what was not counted: Prometheus cannot take back.
        """
        for evaluation in assessment.evaluations:
            self._evaluation(assessment, evaluation)
        if assessment.diagnosis is not Diagnosis.UNKNOWN:
            self._diagnoses(assessment.sample.service, assessment.judge, assessment.diagnosis).inc()
        if math.isfinite(assessment.age_s):
            self._age(assessment.judge).observe(max(0.0, assessment.age_s))

    def inspected(self, service: str, suspected: Place | None) -> None:
        """Count a trace that was looked at for injections; `suspected` is where the gravest one stands, if any."""
        for place in Place:
            self._injections(service, place).inc(place is suspected)

    def _evaluation(self, assessment: Assessment, evaluation: Evaluation) -> None:
        service, outcome = assessment.sample.service, evaluation.outcome
        self._evaluations(service, evaluation.metric, *label_of(outcome)).inc()
        if isinstance(outcome, Scored):
            exemplar = {"trace_id": assessment.sample.trace_id[:32]}
            self._score(service, evaluation.metric, assessment.judge).observe(outcome.value, exemplar)
        if is_eligible(outcome):
            key = (self._series.guard("service")(service), self._series.guard("metric")(evaluation.metric))
            window = self._coverage_windows.get(key)
            if window is None:
                window = self._coverage_windows[key] = Window(COVERAGE_WINDOW_S)
            window.add(self._clock.monotonic(), 1.0 if isinstance(outcome, Scored) else 0.0, failed=False)

    # Judges

    def expect_judge(self, judge: str, facets: Iterable[str] = ()) -> None:
        """Series of a judge and of the facets that it answers."""
        self._depth(judge).set(0)
        self._age(judge)
        self.breaker_state(judge, "closed")
        for direction in ("input", "output"):
            self._tokens(judge, direction)
        self._judge_cost(judge)
        for reason in Unpriced:
            self._judge_unpriced(judge, reason)
        for facet in facets:
            self._calls(judge, facet, "answered")
            self._latency(judge, facet)

    def judge_call(self, judge: str, facet: str, outcome: str, seconds: float) -> None:
        """Count a call that went out and how long it took."""
        self._calls(judge, facet, outcome).inc()
        if math.isfinite(seconds):
            self._latency(judge, facet).observe(max(0.0, seconds))

    def judge_tokens(self, judge: str, direction: str, count: int) -> None:
        """Count tokens; `direction` is input or output."""
        self._tokens(judge, direction).inc(max(0, count))

    def judge_cost(self, judge: str, usd: float) -> None:
        """Count what a call cost."""
        self._judge_cost(judge).inc(max(0.0, usd))

    def judge_call_unpriced(self, judge: str, reason: str) -> None:
        """Count a call whose cost is not known, or not wholly."""
        self._judge_unpriced(judge, reason).inc()

    def cache_request(self, result: str) -> None:
        """Count a look-up: hit, miss, joined, shared_hit, shared_wait; or a write_dropped, or an error."""
        self._cache(result).inc()

    def queue_depth(self, judge: str, depth: int) -> None:
        """How many samples wait for a judge now."""
        self._depth(judge).set(depth)

    def breaker_state(self, judge: str, state: str) -> None:
        """The breaker of a judge is now closed, half_open or open."""
        for known in BREAKER_STATES:
            self._breaker(judge, known).set(known == state)

    # Alerts

    def expect_rule(self, rule: str, service: str, severity: str) -> None:
        """Series of a rule for a service that it watches."""
        self._signals(rule, service, severity)
        self._firing(rule, service)

    def signal(self, rule: str, service: str, severity: str) -> None:
        """Count an alert that was raised."""
        self._signals(rule, service, severity).inc()

    def signal_inhibited(self, rule: str, service: str) -> None:
        """Count an alert that was kept back because its cause fires."""
        self._inhibited(rule, service).inc()

    def rule_firing(self, rule: str, service: str, firing: bool) -> None:
        """Whether a rule fires for a service now."""
        self._firing(rule, service).set(firing)

    def expect_notifier(self, notifier: str, outcomes: Iterable[str]) -> None:
        """Series of a notifier."""
        self._pending(notifier).set(0)
        for outcome in outcomes:
            self._notifications(notifier, outcome)

    def notification(self, notifier: str, outcome: str, count: int = 1) -> None:
        """Count signals by what became of them at a notifier."""
        self._notifications(notifier, outcome).inc(count)

    def notifications_pending(self, notifier: str, count: int) -> None:
        """How many signals a notifier still has to be told."""
        self._pending(notifier).set(count)

    def written_back(self, kind: str, outcome: str, count: int) -> None:
        """Count results by what became of them: exported, failed, dropped; `kind` is event or span."""
        self._written(kind, outcome).inc(count)

    def count_overflows(self, label: str, values: Overflowing) -> None:
        """Expose how many values of a label beyond its limit were seen elsewhere."""
        self._series.count_overflows(label, values)

    def forget_overflows(self, values: Overflowing) -> None:
        """Let go of values whose time is over; what they replaced stays counted."""
        self._series.forget_overflows(values)

    # Rendering

    def refresh(self) -> None:
        """Read the values that are measured only when somebody looks. Call it on the event loop, before `render`."""
        self._series.refresh()
        for read in self._gauges:
            read()
        now = self._clock.monotonic()
        for key, window in self._coverage_windows.items():
            window.expire(now)
            if window.tally.n:
                self._coverage(*key).set(window.tally.total / window.tally.n)
            else:
                self._coverage.remove(*key)  # nothing eligible: no ratio, and no number stands in for it

    def render(self, accept: str = "") -> tuple[bytes, str]:
        """The exposition and its content type. Safe, and meant, to run in a thread."""
        return self._series.render(accept)


def _version() -> str:
    try:
        return version("groundwatch")
    except PackageNotFoundError:
        return "unknown"
