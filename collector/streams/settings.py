"""The topics in which processes with different roles meet."""

from pydantic import Field

from collector.receivers.kafka_settings import KafkaConnection, KafkaReceiverSettings, Topic


class StreamSettings(KafkaConnection):
    """What `groundwatch run --role receive|evaluate|alert` writes and reads.

    Spans are keyed by trace id, evaluations by service.
    """

    spans_topic: Topic = "otlp_spans"
    evaluations_topic: Topic = "groundwatch_evaluations"
    alert_group_id: str = Field("groundwatch_alerts", min_length=1, max_length=249)
    idempotent: bool = Field(True, description="false for brokers without the idempotent producer")

    def receiver(self) -> KafkaReceiverSettings:
        """How evaluating workers read spans where receivers.kafka says nothing else."""
        connection = {name: getattr(self, name) for name in KafkaConnection.model_fields}
        return KafkaReceiverSettings(topics=(self.spans_topic,), **connection)
