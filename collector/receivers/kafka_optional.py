"""The Kafka receiver, where its libraries are installed: who does without Kafka does without them."""

from typing import TYPE_CHECKING, Any

from collector.receivers.kafka_settings import KafkaReceiverSettings
from evaluators.errors import PermanentError

if TYPE_CHECKING:
    from collector.receivers.kafka import KafkaReceiver

_MISSING = "Kafka is configured and its libraries are not installed: pip install 'groundwatch[kafka]'"


def build_kafka(settings: KafkaReceiverSettings, *parts: Any) -> "KafkaReceiver":
    """The receiver; `parts` as KafkaReceiver takes them. Raises PermanentError where its libraries are missing."""
    try:
        from collector.receivers.kafka import KafkaReceiver
    except ModuleNotFoundError as error:
        raise PermanentError(_MISSING) from error
    return KafkaReceiver(settings, *parts)


def check_kafka(settings: KafkaReceiverSettings) -> None:
    """Raise PermanentError for what cannot work on this machine."""
    try:
        from collector.receivers.kafka_client import check_codecs, connection_options
    except ModuleNotFoundError as error:
        raise PermanentError(_MISSING) from error
    check_codecs()
    connection_options(settings)
