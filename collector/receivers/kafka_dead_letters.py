"""Where messages go that nobody can read."""

import asyncio
import contextlib
import logging

from aiokafka import AIOKafkaProducer, ConsumerRecord
from aiokafka.errors import KafkaError

from collector.receivers.kafka_client import build_producer
from collector.receivers.kafka_settings import KafkaReceiverSettings
from collector.status import RefusedError

_MAX_REQUEST = 512 << 20

log = logging.getLogger(__name__)


class DeadLetters:
    """Writes messages to the dead-letter topic as they came, with headers that say where from and why."""

    def __init__(self, settings: KafkaReceiverSettings) -> None:
        self._settings = settings
        self._producer: AIOKafkaProducer | None = None

    async def put(self, message: ConsumerRecord, error: RefusedError) -> bool:
        """Write one; False where that failed."""
        headers = [
            *message.headers,
            ("groundwatch.topic", message.topic.encode()),
            ("groundwatch.partition", str(message.partition).encode()),
            ("groundwatch.offset", str(message.offset).encode()),
            ("groundwatch.error", error.reason.value.encode()),
            ("groundwatch.message", str(error).encode()[:1000]),
        ]
        try:
            producer = await self._connected()
            async with asyncio.timeout(self._settings.request_timeout_s):
                await producer.send_and_wait(
                    self._settings.dead_letter_topic, message.value, key=message.key, headers=headers
                )
        except (KafkaError, OSError, TimeoutError) as failure:
            log.error(  # noqa: TRY400  the message says it all
                "%s partition %d stops at offset %d: it cannot be decoded (%s), and the dead-letter topic %s does not "
                "take it: %s",
                message.topic, message.partition, message.offset, error.reason.value,
                self._settings.dead_letter_topic, type(failure).__name__,
            )  # fmt: skip
            return False
        return True

    async def close(self) -> None:
        """Close the connection, if there is one."""
        producer, self._producer = self._producer, None
        if producer is not None:
            with contextlib.suppress(KafkaError, OSError):
                await producer.stop()

    async def _connected(self) -> AIOKafkaProducer:
        if self._producer is None:
            # A message that its topic could take should fit in this one too, with its headers.
            producer = build_producer(self._settings, max_request_size=_MAX_REQUEST, compression_type="gzip")
            try:
                await producer.start()
            except BaseException:
                await producer.stop()
                raise
            self._producer = producer
        return self._producer
