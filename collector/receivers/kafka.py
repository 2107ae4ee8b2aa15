"""OTLP spans from Kafka: a member of a consumer group that commits only what is judged.

    consumer -> waiting messages -> decode -> sink (assembler ... judge) -> receipts -> low watermark -> commit

Polling goes on whatever the judges do: where they are behind, partitions are paused, and heartbeats are not missed.
"""

import asyncio
import contextlib
import logging
import math

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError, NoOffsetForPartitionError, OffsetOutOfRangeError

from collector.codec import Codec
from collector.receivers.base import ReceiverMetrics
from collector.receivers.kafka_client import build_consumer, check_codecs, connection_options
from collector.receivers.kafka_dead_letters import DeadLetters
from collector.receivers.kafka_group import Group, HandBack
from collector.receivers.kafka_messages import MessageDecoder
from collector.receivers.kafka_metrics import KafkaMetrics
from collector.receivers.kafka_partition import Partition
from collector.receivers.kafka_settings import KafkaReceiverSettings
from collector.spans import SpanSink
from collector.status import RefusedError
from evaluators.clock import Clock
from evaluators.errors import RetryableError
from evaluators.retry import Backoff

log = logging.getLogger(__name__)

POLL_MS = 200
TURN_S = 0.01
"""Time for messages before the event loop gets a turn."""

DEAD_LETTER_RETRY_S = 5.0
PATIENCE_S = 0.5
MEASURE_S = 5.0
_NAME = "kafka"


class KafkaReceiver:
    """Reads topics. `start` raises PermanentError for what no retry can mend; a broker that is down is waited for.

    `stop` reads no more and hands open traces back; `close`, once judges have ended, commits the last watermark and
    leaves the group. `connected` says whether the brokers answer.
    """

    def __init__(
        self,
        settings: KafkaReceiverSettings,
        codec: Codec,
        sink: SpanSink,
        hand_back: HandBack,
        metrics: ReceiverMetrics,
        series: KafkaMetrics,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._sink = sink
        self._metrics = metrics
        self._series = series
        self._clock = clock
        self._decoder = MessageDecoder(settings, codec)
        self._letters = DeadLetters(settings)
        self._group = Group(hand_back, series, settings.auto_offset_reset)
        self._consumer: AIOKafkaConsumer | None = None
        self._task: asyncio.Task[None] | None = None
        self._burials: set[asyncio.Task[None]] = set()
        self._told_unkeyed = False
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
            await asyncio.wait({task, *self._burials}, timeout=self._settings.request_timeout_s)
        self._group.leave()

    async def close(self) -> None:
        """Commit what was judged, and leave the group so that others take over at once. May be called twice."""
        if self._consumer is not None:
            with contextlib.suppress(KafkaError, OSError, TimeoutError):
                async with asyncio.timeout(self._settings.request_timeout_s):
                    await self._group.commit()
            await self._disconnect()
        await self._letters.close()

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
        with contextlib.suppress(KafkaError, OSError):
            await consumer.stop()

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
            await self._work(partition)
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

    async def _work(self, partition: Partition) -> None:
        """Take what waits, until the pipeline is full or a message can go nowhere."""
        turn_ends = self._clock.monotonic() + TURN_S
        while partition.waiting and self._clock.monotonic() >= partition.stopped_until:
            message = partition.waiting[0]
            taken = await self._take(partition, message)
            if taken and partition.is_next(message):
                partition.done(message)
            elif partition.is_next(message):
                return
            if self._clock.monotonic() >= turn_ends:
                await asyncio.sleep(0)
                turn_ends = self._clock.monotonic() + TURN_S

    async def _take(self, partition: Partition, message: ConsumerRecord) -> bool:
        """Deliver or put away; False where the message must wait."""
        if not message.value:
            self._series.message(message.topic, "tombstone")
            return True
        try:
            batch = await self._decoder.decode(message)
            if not partition.is_next(message):
                return False
            batch.receipt = partition.receipt(message, self._clock.monotonic())
            self._sink(batch)
        except RefusedError as error:
            return await self._put_away(partition, message, error)
        except RetryableError:
            return False
        self._metrics.spans_received(_NAME, batch.received)
        self._metrics.spans_ordinary(_NAME, batch.ordinary)
        for reason, count in batch.rejected.items():
            self._metrics.spans_rejected(_NAME, reason, count)
        self._series.message(message.topic, "taken")
        self._see_key(message)
        return True

    async def _put_away(self, partition: Partition, message: ConsumerRecord, error: RefusedError) -> bool:
        """Have it put into the dead-letter topic; other partitions do not wait where that takes long."""
        if self._settings.dead_letter_topic is None:
            self._count_refused(message, error, "passed_over")
            return True
        partition.stopped_until = math.inf
        task = asyncio.create_task(self._bury(partition, message, error))
        self._burials.add(task)
        task.add_done_callback(self._burials.discard)
        await asyncio.wait({task}, timeout=PATIENCE_S)
        return False

    async def _bury(self, partition: Partition, message: ConsumerRecord, error: RefusedError) -> None:
        if not await self._letters.put(message, error):
            partition.stopped_until = self._clock.monotonic() + DEAD_LETTER_RETRY_S
            return
        self._count_refused(message, error, "dead_letter")
        if partition.is_next(message):
            partition.done(message)
        partition.stopped_until = 0.0

    def _count_refused(self, message: ConsumerRecord, error: RefusedError, outcome: str) -> None:
        self._metrics.spans_rejected(_NAME, error.reason, 1)
        self._series.message(message.topic, outcome)

    def _see_key(self, message: ConsumerRecord) -> None:
        if message.key is not None:
            return
        self._series.unkeyed(message.topic)
        if not self._told_unkeyed:
            self._told_unkeyed = True
            log.warning(
                "messages of %s have no key: with more than one partition a trace may be torn between workers; set "
                "partition_traces_by_id: true in the Collector's Kafka exporter",
                message.topic,
            )

    async def _keep_committing(self) -> None:
        measure_at = 0.0
        while True:
            await asyncio.sleep(self._settings.commit_interval_s)
            await self._group.commit()
            if self._clock.monotonic() >= measure_at:
                measure_at = self._clock.monotonic() + MEASURE_S
                await self._measure()

    async def _measure(self) -> None:
        """How far behind we are; asking also tells whether the brokers answer."""
        partitions = list(self._group)
        try:
            ends = await self._group.consumer.end_offsets([key for key, _ in partitions]) if partitions else {}
        except (KafkaError, OSError, TimeoutError):
            self._tell_connected(False)
            return
        self._tell_connected(True)
        now = self._clock.monotonic()
        for topic in self._settings.topics:
            own = {key: one for key, one in partitions if key.topic == topic}
            oldest = [one.source.oldest.taken_at for one in own.values() if one.source.oldest is not None]
            self._series.backlog(
                topic,
                lag=sum(max(0, ends.get(key, 0) - one.position) for key, one in own.items()),
                owed=sum(one.position - one.source.low_watermark for one in own.values()),
                age_s=now - min(oldest, default=now),
            )
            stopped = sum(one.stopped_until > now for one in own.values())
            paused = sum(one.paused for one in own.values()) - stopped
            self._series.partitions(topic, reading=len(own) - paused - stopped, paused=paused, stopped=stopped)


def _partitions_of(error: Exception) -> list[TopicPartition]:
    """The partitions that an error of the consumer is about."""
    about = error.args[0] if error.args else ()
    return [about] if isinstance(about, TopicPartition) else list(about)
