"""From the messages of a partition to open traces, or to the dead letters."""

import asyncio
import logging
import math

from aiokafka import ConsumerRecord

from collector.codec import Codec
from collector.receivers.base import ReceiverMetrics
from collector.receivers.kafka_dead_letters import DeadLetters
from collector.receivers.kafka_group import Group, Traces
from collector.receivers.kafka_messages import MessageDecoder
from collector.receivers.kafka_metrics import KafkaMetrics
from collector.receivers.kafka_partition import Partition
from collector.receivers.kafka_settings import KafkaReceiverSettings
from collector.spans import SpanBatch, SpanSink
from collector.status import RefusedError
from evaluators.clock import Clock
from evaluators.errors import RetryableError

log = logging.getLogger(__name__)

TURN_S = 0.01
"""Time for messages before the event loop gets a turn."""

DEAD_LETTER_RETRY_S = 5.0
PATIENCE_S = 0.5
_NAME = "kafka"


class Delivery:
    """Takes what waits in partitions. `events` is where log events go."""

    def __init__(
        self,
        settings: KafkaReceiverSettings,
        codec: Codec,
        traces: Traces,
        events: SpanSink,
        metrics: ReceiverMetrics,
        series: KafkaMetrics,
        clock: Clock,
        group: Group,
    ) -> None:
        self._settings = settings
        self._traces = traces
        self._events = events
        self._metrics = metrics
        self._series = series
        self._clock = clock
        self._group = group
        self._decoder = MessageDecoder(settings, codec)
        self._letters = DeadLetters(settings)
        self._burials: set[asyncio.Task[None]] = set()
        self._told_unkeyed = False

    @property
    def burials(self) -> frozenset[asyncio.Task[None]]:
        """Dead letters that are being written."""
        return frozenset(self._burials)

    async def close(self) -> None:
        """Close the connection for dead letters."""
        await self._letters.close()

    async def work(self, partition: Partition) -> None:
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
            self._deliver(partition, message, batch)
        except RefusedError as error:
            return partition.recalls(message) or await self._put_away(partition, message, error)
        except RetryableError:
            return False
        return True

    def _deliver(self, partition: Partition, message: ConsumerRecord, batch: SpanBatch) -> None:
        trace_ids = {one.trace_id for one in (batch.events or batch.spans)}
        if done := partition.split(message, batch):
            self._traces.recall(done)
        if batch.events:
            self._events(batch)
        elif not partition.recalls(message):
            batch.partial = self._may_be_torn(partition, message, len(trace_ids))
            batch.receipt = partition.receipt(message, self._clock.monotonic())
            self._traces.take(batch)
            if not _is_keyed(message, len(trace_ids)):
                self._see_unkeyed(message)
        partition.note(message, trace_ids)
        self._count(partition, message, batch)

    def _may_be_torn(self, partition: Partition, message: ConsumerRecord, traces: int) -> bool:
        """Whether its traces may have spans where we cannot see them.

        All of a trace that is keyed by its id is in one partition. Otherwise a trace is whole only for who reads every
        partition, and only as long as nothing of it was done before.
        """
        is_apart = partition.is_read_again(message) or not self._group.has_all(message.topic)
        return partition.is_doubtful(message) or (is_apart and not _is_keyed(message, traces))

    def _count(self, partition: Partition, message: ConsumerRecord, batch: SpanBatch) -> None:
        if partition.recalls(message):
            self._series.message(message.topic, "recalled")
            return
        self._series.message(message.topic, "taken")
        if batch.events:
            return
        self._metrics.spans_received(_NAME, batch.received)
        self._metrics.spans_ordinary(_NAME, batch.ordinary)
        for reason, count in batch.rejected.items():
            self._metrics.spans_rejected(_NAME, reason, count)

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

    def _see_unkeyed(self, message: ConsumerRecord) -> None:
        self._series.unkeyed(message.topic)
        if not self._told_unkeyed:
            self._told_unkeyed = True
            log.warning(
                "messages of %s are not keyed by trace id: where several workers share its partitions no trace gets a "
                "verdict; set partition_traces_by_id: true in the Collector's Kafka exporter",
                message.topic,
            )


def _is_keyed(message: ConsumerRecord, traces: int) -> bool:
    """Whether a message of so many traces was keyed by trace id: such a one holds one trace."""
    return message.key is not None and traces <= 1
