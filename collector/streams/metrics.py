"""What is counted about streams."""

from alerts.series import SeriesRegistry

OUTCOMES = ("written", "failed", "dropped", "read", "malformed")


class StreamMetrics:
    """Series of what processes hand to each other."""

    def __init__(self, series: SeriesRegistry) -> None:
        self._messages = series.counter("stream_messages", "Messages between roles.", "topic", "outcome")
        self._pending = series.gauge("stream_messages_pending", "Messages not yet acknowledged by a broker.", "topic")
        self._behind = series.gauge("stream_replay_messages", "Messages to read again before rules decide.", "topic")

    def expect(self, topic: str) -> None:
        """Known series start at 0."""
        for outcome in OUTCOMES:
            self._messages(topic, outcome)
        self._pending(topic).set(0)

    def message(self, topic: str, outcome: str, count: int = 1) -> None:
        """Count messages."""
        self._messages(topic, outcome).inc(count)

    def pending(self, topic: str, count: int) -> None:
        """How many messages are not acknowledged."""
        self._pending(topic).set(count)

    def behind(self, topic: str, count: int) -> None:
        """How many messages are still to be read again."""
        self._behind(topic).set(count)
