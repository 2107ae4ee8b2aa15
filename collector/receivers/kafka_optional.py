"""The Kafka receiver, where its libraries are installed: who does without Kafka does without them."""

from typing import TYPE_CHECKING, Any

from collector.receivers.kafka_settings import KafkaConnection, KafkaReceiverSettings
from collector.roles import Role
from collector.streams.settings import StreamSettings
from evaluators.errors import PermanentError

if TYPE_CHECKING:
    from collector.receivers.kafka import KafkaReceiver
    from collector.streams.streams import Streams

_MISSING = "Kafka is configured and its libraries are not installed: pip install 'groundwatch[kafka]'"


def build_kafka(settings: KafkaReceiverSettings, *parts: Any) -> "KafkaReceiver":
    """The receiver; `parts` as KafkaReceiver takes them. Raises PermanentError where its libraries are missing."""
    try:
        from collector.receivers.kafka import KafkaReceiver
    except ModuleNotFoundError as error:
        raise PermanentError(_MISSING) from error
    return KafkaReceiver(settings, *parts)


def build_streams(role: Role, settings: StreamSettings, *parts: Any) -> "Streams":
    """The streams of a role; `parts` as Streams takes them. Raises PermanentError as above."""
    try:
        from collector.streams.streams import Streams
    except ModuleNotFoundError as error:
        raise PermanentError(_MISSING) from error
    return Streams(role, settings, *parts)


def check_kafka(settings: KafkaConnection) -> None:
    """Raise PermanentError for what cannot work on this machine."""
    try:
        from collector.receivers.kafka_client import check_codecs, connection_options
    except ModuleNotFoundError as error:
        raise PermanentError(_MISSING) from error
    check_codecs()
    connection_options(settings)
