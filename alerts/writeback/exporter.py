"""Exports evaluation results over OTLP with the OpenTelemetry SDK: batched, off the event loop, bounded."""

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from alerts.explain import Content
from alerts.writeback.counting import CAPACITY, Outgoing, WriteBackMetrics, log_exporter, span_exporter
from alerts.writeback.results import EVENT, Results, results_of
from alerts.writeback.settings import WriteBackSettings
from evaluators.clock import Clock
from evaluators.evaluation import Assessment

_SCOPE = InstrumentationScope("groundwatch")
# By this name the monitor knows its own spans again, should they come back to it, and judges none of them.
_RESOURCE = Resource({"service.name": "groundwatch"})


class WriteBack:
    """Takes assessments on the event loop; never waits and never raises for a backend that is down."""

    def __init__(self, settings: WriteBackSettings, content: Content, metrics: WriteBackMetrics, clock: Clock) -> None:
        self._content = content
        self._clock = clock
        self._parts: list[_Events | _Spans] = []
        if settings.events:
            self._parts.append(_Events(settings, Outgoing("event", metrics)))
        if settings.spans != "none":
            self._parts.append(_Spans(settings, Outgoing("span", metrics)))

    def observe(self, assessment: Assessment) -> None:
        """Send what the judge says."""
        results = results_of(assessment, self._content)
        if results is None:
            return
        now = int(self._clock.wall() * 1e9)
        for part in self._parts:
            part.send(results, now)

    def stop(self, deadline_s: float) -> None:
        """Export what waits, at most until the deadline. Blocks: call it in a thread."""
        for part in self._parts:
            part.stop(int(deadline_s * 1000))


class _Events:
    """One log event per result, with the ids of the judged span."""

    def __init__(self, settings: WriteBackSettings, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._provider = LoggerProvider(_RESOURCE, shutdown_on_exit=False)
        exporter = log_exporter(settings, outgoing)
        processor = BatchLogRecordProcessor(exporter, schedule_delay_millis=1000, max_queue_size=CAPACITY)
        self._provider.add_log_record_processor(processor)
        self._processor = processor
        self._logger = self._provider.get_logger("groundwatch")

    def send(self, results: Results, now: int) -> None:
        if not self._outgoing.admit(len(results.events)):
            return
        judged = set_span_in_context(NonRecordingSpan(_judged(results)))
        for attributes in results.events:
            self._logger.emit(
                LogRecord(
                    timestamp=now,
                    observed_timestamp=now,
                    context=judged,
                    severity_number=SeverityNumber.INFO,
                    event_name=EVENT,
                    attributes=attributes,
                )
            )

    def stop(self, timeout_ms: int) -> None:
        self._processor._batch_processor.shutdown(timeout_ms)  # noqa: SLF001  the public one waits half a minute


class _Spans:
    """One span per verdict, its results as span events. Ids are functions of the verdict."""

    def __init__(self, settings: WriteBackSettings, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._is_child = settings.spans == "child"
        exporter = span_exporter(settings, outgoing)
        self._processor = BatchSpanProcessor(exporter, schedule_delay_millis=1000, max_queue_size=CAPACITY)

    def send(self, results: Results, now: int) -> None:
        if self._outgoing.admit(1):
            self._processor.on_end(self._span(results, now))

    def stop(self, timeout_ms: int) -> None:
        self._processor._batch_processor.shutdown(timeout_ms)  # noqa: SLF001  the public one waits half a minute

    def _span(self, results: Results, now: int) -> ReadableSpan:
        judged = _judged(results)
        span_id = int.from_bytes(results.id[:8]) or 1
        trace_id = results.trace_id if self._is_child else int.from_bytes(results.id[8:24]) or 1
        return ReadableSpan(
            name=f"evaluate {results.judge}",
            context=SpanContext(trace_id, span_id, is_remote=False, trace_flags=judged.trace_flags),
            parent=judged if self._is_child else None,
            links=() if self._is_child else (Link(judged),),
            resource=_RESOURCE,
            attributes={"groundwatch.service": results.service, "groundwatch.judge": results.judge, **_scores(results)},
            events=[Event(EVENT, one, now) for one in results.events],
            start_time=now,
            end_time=now,
            instrumentation_scope=_SCOPE,
        )


def _judged(results: Results) -> SpanContext:
    flags = TraceFlags(TraceFlags.SAMPLED)
    return SpanContext(results.trace_id, results.span_id, is_remote=True, trace_flags=flags)


def _scores(results: Results) -> dict[str, float]:
    """For backends that show no span events."""
    scores = ((one["gen_ai.evaluation.name"], one.get("gen_ai.evaluation.score.value")) for one in results.events)
    return {f"groundwatch.score.{name}": value for name, value in scores if isinstance(value, float)}
