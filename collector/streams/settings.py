"""The topics in which processes with different roles meet."""

from typing import Any

from pydantic import Field

from collector.receivers.kafka_settings import KafkaConnection, KafkaReceiverSettings, Topic


class StreamSettings(KafkaConnection):
    """What `groundwatch run --role receive|evaluate|alert` writes and reads.

    Spans are keyed by trace id, evaluations by service.
    """

    spans_topic: Topic = "otlp_spans"
    evaluations_topic: Topic = "groundwatch_evaluations"
    alert_group_id: str = Field("groundwatch_alerts", min_length=1, max_length=249)
    session_timeout_s: float = Field(30.0, ge=1, le=1800, description="without a heartbeat a process counts as gone")
    idempotent: bool = Field(True, description="false for brokers without the idempotent producer")

    def receiver(self) -> KafkaReceiverSettings:
        """How evaluating workers read spans where receivers.kafka says nothing else."""
        return self._reading(topics=(self.spans_topic,))

    def alert_reader(self) -> KafkaReceiverSettings:
        """How alerting processes read evaluations."""
        return self._reading(topics=(self.evaluations_topic,), group_id=self.alert_group_id, dead_letter_topic=None)

    def _reading(self, **rest: Any) -> KafkaReceiverSettings:
        connection = {name: getattr(self, name) for name in KafkaConnection.model_fields}
        return KafkaReceiverSettings(session_timeout_s=self.session_timeout_s, **connection, **rest)
