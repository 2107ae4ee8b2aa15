"""OTLP exporters of the OpenTelemetry SDK, bounded and counted."""

import threading
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from alerts.writeback.settings import WriteBackSettings

Result = TypeVar("Result")

CAPACITY = 4096
"""Results that wait to be exported, of each kind; what is more is dropped and counted."""

OUTCOMES = ("exported", "failed", "dropped")


class WriteBackMetrics(Protocol):
    """Where outcomes are counted; called from the exporting threads too."""

    def written_back(self, kind: str, outcome: str, count: int) -> None: ...


class Outgoing:
    """How much is on its way, and what became of the rest."""

    def __init__(self, kind: str, metrics: WriteBackMetrics) -> None:
        self._kind = kind
        self._metrics = metrics
        self._waiting = 0
        self._lock = threading.Lock()
        for outcome in OUTCOMES:
            metrics.written_back(kind, outcome, 0)

    def admit(self, count: int) -> bool:
        """Whether there is room for so many; counts them as dropped where there is none."""
        with self._lock:
            if self._waiting + count <= CAPACITY:
                self._waiting += count
                return True
        self._metrics.written_back(self._kind, "dropped", count)
        return False

    def done(self, count: int, exported: bool) -> None:
        """So many left the queue."""
        with self._lock:
            self._waiting -= count
        self._metrics.written_back(self._kind, "exported" if exported else "failed", count)


class _CountedLogs(LogRecordExporter):
    def __init__(self, inner: LogRecordExporter, counter: Outgoing) -> None:
        self._inner = inner
        self._counter = counter

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        result = _attempt(lambda: self._inner.export(batch), LogRecordExportResult.FAILURE)
        self._counter.done(len(batch), result is LogRecordExportResult.SUCCESS)
        return result

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True

    def shutdown(self) -> None:
        self._inner.shutdown()  # type: ignore[no-untyped-call]


class _CountedSpans(SpanExporter):
    def __init__(self, inner: SpanExporter, counter: Outgoing) -> None:
        self._inner = inner
        self._counter = counter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = _attempt(lambda: self._inner.export(spans), SpanExportResult.FAILURE)
        self._counter.done(len(spans), result is SpanExportResult.SUCCESS)
        return result

    def shutdown(self) -> None:
        self._inner.shutdown()


def _attempt(export: Callable[[], Result], failure: Result) -> Result:
    try:
        return export()
    except Exception:
        # Whatever it was, the batch is lost and counted; its text may quote what was sent.
        return failure


def log_exporter(settings: WriteBackSettings, outgoing: Outgoing) -> LogRecordExporter:
    """Sends log events."""
    return _CountedLogs(_logs(settings), outgoing)


def span_exporter(settings: WriteBackSettings, outgoing: Outgoing) -> SpanExporter:
    """Sends spans."""
    return _CountedSpans(_spans(settings), outgoing)


def _logs(settings: WriteBackSettings) -> LogRecordExporter:
    if settings.protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcExporter

        return GrpcExporter(settings.endpoint, headers=settings.headers, timeout=settings.timeout)
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter

    url = f"{settings.endpoint.rstrip('/')}/v1/logs"
    return OTLPLogExporter(url, headers=settings.headers, timeout=settings.timeout)


def _spans(settings: WriteBackSettings) -> SpanExporter:
    if settings.protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter

        return GrpcExporter(settings.endpoint, headers=settings.headers, timeout=settings.timeout)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    url = f"{settings.endpoint.rstrip('/')}/v1/traces"
    return OTLPSpanExporter(url, headers=settings.headers, timeout=settings.timeout)
