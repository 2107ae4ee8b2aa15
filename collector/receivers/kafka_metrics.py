"""What is counted about Kafka."""

from alerts.series import SeriesRegistry

MESSAGES = ("taken", "recalled", "tombstone", "dead_letter", "passed_over")
COMMITS = ("done", "failed")


class KafkaMetrics:
    """Series of the Kafka receiver. Labels are configured topics and closed sets."""

    def __init__(self, series: SeriesRegistry) -> None:
        self._messages = series.counter("kafka_messages", "Messages by what became of them.", "topic", "outcome")
        self._unkeyed = series.counter(
            "kafka_unkeyed_messages",
            "Messages without a key, or with several traces: these may be torn between workers.",
            "topic",
        )
        self._pauses = series.counter("kafka_pauses", "Times that a partition was paused.", "topic")
        self._resets = series.counter("kafka_offset_resets", "Offsets that were gone, so that reading jumped.", "topic")
        self._commits = series.counter("kafka_commits", "Commits of low watermarks.", "outcome")
        self._rebalances = series.counter("kafka_rebalances", "Assignments of partitions.")
        self._back = series.counter("kafka_traces_handed_back", "Traces left to another worker, unjudged.")
        self._lag = series.gauge("kafka_lag_messages", "Messages not yet taken, all own partitions.", "topic")
        self._owed = series.gauge("kafka_uncommitted_messages", "Offsets taken and not yet committed.", "topic")
        self._age = series.gauge(
            "kafka_watermark_age_seconds", "Since the oldest message of an unjudged trace was taken.", "topic"
        )
        self._partitions = series.gauge("kafka_partitions", "Own partitions by state.", "topic", "state")
        self._connected = series.gauge("kafka_connected", "1 while the brokers answer.")

    def expect(self, topics: tuple[str, ...]) -> None:
        """Known series start at 0."""
        for outcome in COMMITS:
            self._commits(outcome)
        self.rebalance(0)
        self.handed_back(0)
        self.connected(False)
        for topic in topics:
            for outcome in MESSAGES:
                self._messages(topic, outcome)
            for family in (self._unkeyed, self._pauses, self._resets):
                family(topic)
            self.backlog(topic, lag=0, owed=0, age_s=0.0)
            self.partitions(topic, reading=0, paused=0, stopped=0)

    def message(self, topic: str, outcome: str) -> None:
        """Count a message: taken, recalled, tombstone, dead_letter or passed_over."""
        self._messages(topic, outcome).inc()

    def unkeyed(self, topic: str) -> None:
        """Count a message that is not keyed by trace id."""
        self._unkeyed(topic).inc()

    def pause(self, topic: str) -> None:
        """Count a partition that was paused."""
        self._pauses(topic).inc()

    def reset(self, topic: str) -> None:
        """Count an offset that was gone."""
        self._resets(topic).inc()

    def commit(self, outcome: str) -> None:
        """Count a commit: done or failed."""
        self._commits(outcome).inc()

    def rebalance(self, count: int = 1) -> None:
        """Count an assignment."""
        self._rebalances().inc(count)

    def handed_back(self, traces: int) -> None:
        """Count traces that were handed back."""
        self._back().inc(traces)

    def backlog(self, topic: str, *, lag: int, owed: int, age_s: float) -> None:
        """How far behind we are."""
        self._lag(topic).set(lag)
        self._owed(topic).set(owed)
        self._age(topic).set(age_s)

    def partitions(self, topic: str, **states: int) -> None:
        """How many partitions are in which state: reading, paused, stopped."""
        for state, count in states.items():
            self._partitions(topic, state).set(count)

    def connected(self, connected: bool) -> None:
        """Whether the brokers answer."""
        self._connected().set(connected)
