"""From a Kafka message to spans."""

import asyncio
from collections.abc import Callable

from aiokafka import ConsumerRecord

from collector.codec import Codec
from collector.envelope import MAX_SPANS
from collector.log_packet import unpack
from collector.otlp_json import to_protobuf
from collector.receivers.bodies import too_large
from collector.receivers.kafka_settings import KafkaReceiverSettings
from collector.spans import SpanBatch
from collector.status import Reason, RefusedError

INLINE_JSON_BYTES = 64 << 10
"""A larger JSON message is decoded in a thread: at 10 MB/s it would keep the event loop from all else."""

KIND = "groundwatch.kind"
"""The header that says what a message holds which is neither spans nor a verdict."""

LOG_EVENTS = b"log_events"

_ENCODINGS = {
    "application/x-protobuf": "otlp_proto",
    "application/protobuf": "otlp_proto",
    "application/json": "otlp_json",
}


class MessageDecoder:
    """Decodes message values by their content-type header or the configured encoding."""

    def __init__(self, settings: KafkaReceiverSettings, codec: Codec) -> None:
        self._settings = settings
        self._codec = codec

    async def decode(self, message: ConsumerRecord) -> SpanBatch:
        """The spans or log events of a message with a value. Raises RefusedError where it holds none."""
        value = message.value
        if len(value) > self._settings.max_message_bytes:
            raise too_large(self._settings.max_message_bytes)
        if (KIND, LOG_EVENTS) in message.headers:
            return unpack(value)
        if self._encoding(message) == "otlp_proto":
            return self._codec.decode(value)
        decode: Callable[[bytes], SpanBatch] = self._decode_json
        if len(value) <= INLINE_JSON_BYTES:
            return decode(value)
        return await asyncio.to_thread(decode, value)

    def _decode_json(self, value: bytes) -> SpanBatch:
        return self._codec.decode(to_protobuf(value, MAX_SPANS))

    def _encoding(self, message: ConsumerRecord) -> str:
        for name, value in message.headers:
            if name.lower() == "content-type" and value:
                media_type = value.decode("ascii", "replace").partition(";")[0].strip().lower()
                if media_type not in _ENCODINGS:
                    raise RefusedError(Reason.UNSUPPORTED_TYPE, f"content-type must be one of {', '.join(_ENCODINGS)}")
                return _ENCODINGS[media_type]
        return self._settings.encoding
