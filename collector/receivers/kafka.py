"""OTLP spans from Kafka: a member of a consumer group that commits only what is judged.

    consumer -> waiting messages -> decode -> traces (assembled ... judged) -> receipts -> low watermark -> commit

Polling goes on whatever the judges do: where they are behind, partitions are paused, and heartbeats are not missed.
"""

import asyncio
import contextlib
import logging

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError, NoOffsetForPartitionError, OffsetOutOfRangeError

from collector.codec import Codec
from collector.receivers.base import ReceiverMetrics
from collector.receivers.kafka_client import build_consumer, check_codecs, connection_options
from collector.receivers.kafka_delivery import Delivery
from collector.receivers.kafka_group import Group, Traces
from collector.receivers.kafka_metrics import KafkaMetrics
from collector.receivers.kafka_partition import Partition
from collector.receivers.kafka_progress import measure
from collector.receivers.kafka_settings import KafkaReceiverSettings
from collector.spans import SpanSink
from evaluators.clock import Clock
from evaluators.retry import Backoff

log = logging.getLogger(__name__)

POLL_MS = 200
MEASURE_S = 5.0


class KafkaReceiver:
    """Reads topics. `start` raises PermanentError for what no retry can mend; a broker that is down is waited for.

    `stop` reads no more and hands open traces back; `close`, once judges have ended, commits the last watermark and
    leaves the group. `connected` says whether the brokers answer.
    """

    def __init__(
        self,
        settings: KafkaReceiverSettings,
        codec: Codec,
        traces: Traces,
        events: SpanSink,
        metrics: ReceiverMetrics,
        series: KafkaMetrics,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._series = series
        self._clock = clock
        self._group = Group(traces, series, settings, clock)
        self._delivery = Delivery(settings, codec, traces, events, metrics, series, clock, self._group)
        self._consumer: AIOKafkaConsumer | None = None
        self._task: asyncio.Task[None] | None = None
        self.connected = False
        series.expect(settings.topics)

    def check(self) -> None:
        """Raise PermanentError for a setting that cannot work on this machine."""
        check_codecs()
        connection_options(self._settings)

    async def start(self) -> None:
        """Begin to connect; returns at once."""
        self.check()
        self._task = asyncio.create_task(self._run(), name="kafka receiver")

    async def stop(self) -> None:
        """Read no more, and hand back what no judge has seen. May be called before `start`, and twice."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task, *self._delivery.burials}, timeout=self._settings.request_timeout_s)
        self._group.leave()

    async def close(self) -> None:
        """Commit what was judged, and leave the group so that others take over at once. May be called twice."""
        if self._consumer is not None:
            with contextlib.suppress(KafkaError, OSError, TimeoutError):
                async with asyncio.timeout(self._settings.request_timeout_s):
                    await self._group.commit()
            await self._disconnect()
        await self._delivery.close()

    async def _run(self) -> None:
        """Connect and read; after a failure again, with backoff. Ends only when cancelled."""
        backoff, failures = Backoff(), 0
        while True:
            try:
                await self._connect()
                failures = 0
                await self._read()
            except Exception as error:
                failures += 1
                self._lost(error, failures)
                await self._disconnect()
                await asyncio.sleep(backoff.delay(failures, None, lambda: 0.5))

    def _lost(self, error: Exception, failures: int) -> None:
        self._tell_connected(False)
        servers = ", ".join(self._settings.bootstrap_servers)
        if not isinstance(error, KafkaError | OSError | TimeoutError):
            log.error("the Kafka receiver failed for a reason of its own; trying again", exc_info=error)
        elif failures == 1:
            log.warning("Kafka at %s cannot be read: %s; trying again", servers, type(error).__name__)

    async def _connect(self) -> None:
        consumer = build_consumer(self._settings, self._group)
        self._group.attach(consumer)
        self._consumer = consumer
        await consumer.start()
        self._tell_connected(True)
        log.info("reading %s from Kafka as group %s", ", ".join(self._settings.topics), self._settings.group_id)

    async def _disconnect(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is None:
            return
        self._group.abandon()
        try:
            await consumer.stop()
        except Exception as error:  # whatever it is, the next consumer must have its chance
            log.warning("a Kafka consumer did not stop in good order: %s", type(error).__name__)

    def _tell_connected(self, connected: bool) -> None:
        self.connected = connected
        self._series.connected(connected)

    async def _read(self) -> None:
        keeping = asyncio.create_task(self._keep_committing(), name="kafka commits")
        try:
            while True:
                await self._poll()
                if self._group.failure is not None:
                    raise self._group.failure
                if keeping.done():
                    keeping.result()
        finally:
            keeping.cancel()
            await asyncio.wait({keeping})

    async def _poll(self) -> None:
        consumer = self._group.consumer
        try:
            fetched = await consumer.getmany(timeout_ms=POLL_MS, max_records=self._settings.max_poll_messages)
        except OffsetOutOfRangeError as error:
            await self._group.reset(_partitions_of(error))
            return
        except NoOffsetForPartitionError as error:
            self._group.seek_again(_partitions_of(error))
            return
        self._group.fetched(fetched)
        for key, partition in self._group:
            await self._delivery.work(partition)
            self._pause_or_resume(key, partition)

    def _pause_or_resume(self, key: TopicPartition, partition: Partition) -> None:
        if not self._group.is_ours(partition) or bool(partition.waiting) == partition.paused:
            return
        partition.paused = bool(partition.waiting)
        if partition.paused:
            self._series.pause(key.topic)
            self._group.consumer.pause(key)
        else:
            self._group.consumer.resume(key)

    async def _keep_committing(self) -> None:
        measure_at = 0.0
        while True:
            await asyncio.sleep(self._settings.commit_interval_s)
            await self._group.commit()
            if self._clock.monotonic() >= measure_at:
                measure_at = self._clock.monotonic() + MEASURE_S
                topics, now = self._settings.topics, self._clock.monotonic()
                self._tell_connected(await measure(self._group, topics, self._series, now))


def _partitions_of(error: Exception) -> list[TopicPartition]:
    """The partitions that an error of the consumer is about."""
    about = error.args[0] if error.args else ()
    return [about] if isinstance(about, TopicPartition) else list(about)
