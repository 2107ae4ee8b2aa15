"""A producer that connects when it can, and says whether it did."""

import asyncio
import contextlib
import logging
from asyncio import Future
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from collector.receivers.kafka_client import build_producer
from collector.streams.settings import StreamSettings
from evaluators.errors import RetryableError
from evaluators.retry import Backoff

log = logging.getLogger(__name__)

_LINGER_MS = 20
_MAX_REQUEST = 16 << 20


class Writer:
    """Writes to topics. `start` returns at once; until the brokers answer `send` raises RetryableError."""

    def __init__(self, settings: StreamSettings) -> None:
        self._settings = settings
        self._producer: AIOKafkaProducer | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        """Whether the brokers answered."""
        return self._producer is not None

    def start(self) -> None:
        """Begin to connect."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._connect(), name="kafka writer")

    async def close(self) -> None:
        """Write what is under way and close. May be called before `start`, and twice."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._disconnect()

    async def send(self, topic: str, value: bytes, **rest: Any) -> "Future[Any]":
        """Hand a message over; the future ends when the brokers have it. Raises RetryableError."""
        if self._producer is None:
            raise RetryableError("Kafka does not answer: try again", retry_after=1.0)
        try:
            future: Future[Any] = await self._producer.send(topic, value, **rest)
        except KafkaError as error:
            await self.reconnect()
            raise RetryableError(f"Kafka: {type(error).__name__}", retry_after=1.0) from error
        return future

    async def partitions(self, topic: str) -> set[int]:
        """The partitions of a topic. Raises RetryableError."""
        if self._producer is None:
            raise RetryableError("Kafka does not answer: try again", retry_after=1.0)
        try:
            found: set[int] = await self._producer.partitions_for(topic)
        except KafkaError as error:
            raise RetryableError(f"Kafka: {type(error).__name__}") from error
        return found

    async def reconnect(self) -> None:
        """Begin anew: a producer that failed for good fails for ever."""
        await self._disconnect()
        self.start()

    async def _disconnect(self) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            with contextlib.suppress(KafkaError, OSError, TimeoutError):
                async with asyncio.timeout(self._settings.request_timeout_s):
                    await producer.stop()

    async def _connect(self) -> None:
        backoff, failures = Backoff(), 0
        while True:
            producer = build_producer(
                self._settings,
                enable_idempotence=self._settings.idempotent,
                compression_type="lz4",
                linger_ms=_LINGER_MS,
                max_request_size=_MAX_REQUEST,
            )
            try:
                await producer.start()
            except (KafkaError, OSError, TimeoutError) as error:
                failures += 1
                if failures == 1:
                    log.warning("Kafka cannot be written to: %s; trying again", type(error).__name__)
                await producer.stop()
                await asyncio.sleep(backoff.delay(failures, None, lambda: 0.5))
            else:
                self._producer = producer
                return
