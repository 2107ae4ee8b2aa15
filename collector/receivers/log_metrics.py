"""What is counted about log records."""

from collections.abc import Iterable

from alerts.series import SeriesRegistry


class LogMetrics:
    """ReceiverMetrics of the paths for logs: they take records where the others take spans."""

    def __init__(self, series: SeriesRegistry, receivers: Iterable[str], reasons: Iterable[str]) -> None:
        self._received = series.counter("log_records_received", "Log records received, kept or not.", "receiver")
        self._ordinary = series.counter(
            "log_records_ordinary", "Log records not kept: no marker or no span.", "receiver"
        )
        self._rejected = series.counter("log_records_rejected", "Log records refused.", "receiver", "reason")
        reasons = tuple(reasons)
        for receiver in receivers:
            self._received(receiver)
            self._ordinary(receiver)
            for reason in reasons:
                self._rejected(receiver, reason)

    def spans_received(self, receiver: str, count: int) -> None:
        """Count records of a request that was taken."""
        self._received(receiver).inc(count)

    def spans_ordinary(self, receiver: str, count: int) -> None:
        """Count records that tell nothing of a model."""
        self._ordinary(receiver).inc(count)

    def spans_rejected(self, receiver: str, reason: str, count: int) -> None:
        """Count refused records."""
        self._rejected(receiver, reason).inc(count)
