"""A producer that connects when it can, and says whether it did."""

import asyncio
import contextlib
import logging
from asyncio import Future
from functools import partial
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, MessageSizeTooLargeError

from collector.receivers.kafka_client import build_producer
from collector.streams.settings import StreamSettings
from evaluators.errors import RetryableError
from evaluators.retry import Backoff

log = logging.getLogger(__name__)

_LINGER_MS = 20
_MAX_REQUEST = 16 << 20


class Writer:
    """Writes to topics. `start` returns at once; until the brokers answer `send` raises RetryableError.

    Brokers number the messages of a producer: where one is not taken, what follows it into its partition is refused
    for ever. So after a failure a new producer begins.
    """

    def __init__(self, settings: StreamSettings) -> None:
        self._settings = settings
        self._producer: AIOKafkaProducer | None = None
        self._task: asyncio.Task[None] | None = None
        self._renewal: asyncio.Task[None] | None = None

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
        for task in filter(None, (self._renewal, self._task)):
            task.cancel()
            await asyncio.wait({task})
        producer, self._producer = self._producer, None
        await self._stop(producer)

    async def send(self, topic: str, value: bytes, **rest: Any) -> "Future[Any]":
        """Hand a message over; the future ends when the brokers have it.

        Raises RetryableError, and MessageSizeTooLargeError for what no retry can mend; so may the future.
        """
        producer = self._producer
        if producer is None:
            raise RetryableError("Kafka does not answer: try again", retry_after=1.0)
        try:
            future: Future[Any] = await producer.send(topic, value, **rest)
        except MessageSizeTooLargeError:
            raise
        except KafkaError as error:
            self._renew(producer)
            raise RetryableError(f"Kafka: {type(error).__name__}", retry_after=1.0) from error
        future.add_done_callback(partial(self._sent, producer))
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

    def _sent(self, producer: AIOKafkaProducer, future: "Future[Any]") -> None:
        if not future.cancelled() and future.exception() is not None:
            self._renew(producer)

    def _renew(self, producer: AIOKafkaProducer) -> None:
        """Begin anew in its place, unless that was done already."""
        if producer is self._producer:
            self._producer = None
            self._renewal = asyncio.create_task(self._replace(producer), name="kafka writer anew")

    async def _replace(self, producer: AIOKafkaProducer) -> None:
        await self._stop(producer)
        self.start()

    async def _stop(self, producer: AIOKafkaProducer | None) -> None:
        """Write what is under way, and close."""
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
