"""The partitions that a worker has at the moment, as its consumer group deals them out."""

import asyncio
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Protocol

from aiokafka import ConsumerRebalanceListener, ConsumerRecord, TopicPartition
from aiokafka.errors import IllegalStateError, KafkaError
from aiokafka.structs import OffsetAndMetadata

from collector.receipts import Source
from collector.receivers.kafka_client import Consumer
from collector.receivers.kafka_history import Firsts, History, Past
from collector.receivers.kafka_metrics import KafkaMetrics
from collector.receivers.kafka_partition import Partition
from collector.receivers.kafka_settings import KafkaReceiverSettings
from collector.spans import SpanBatch
from evaluators.clock import Clock

log = logging.getLogger(__name__)

_LOOK_S = 0.05
"""How often to see whether judges are done."""


class Traces(Protocol):
    """Where traces are assembled and judged.

    `take` takes a whole batch or raises RetryableError. `recall` remembers spans of traces that are done. `hand_back`
    lets go of the unjudged traces of some sources and returns how many there were. `in_hand` is how many wait for a
    verdict that cannot be called back.
    """

    @property
    def in_hand(self) -> int: ...

    def take(self, batch: SpanBatch, /) -> None: ...

    def recall(self, batch: SpanBatch, /) -> None: ...

    def hand_back(self, sources: Collection[Source], /) -> int: ...


class Group(ConsumerRebalanceListener):  # type: ignore[misc]
    """Keeps each partition's watermark through rebalances.

    Every rebalance revokes everything, and most of it comes back: what comes back, and that nobody has committed to
    meanwhile, goes on where it was. What does not is handed back. No lock is held anywhere: all state changes between
    two awaits, and whoever awaits looks again at what it has.
    """

    def __init__(self, traces: Traces, metrics: KafkaMetrics, settings: KafkaReceiverSettings, clock: Clock) -> None:
        self._traces = traces
        self._metrics = metrics
        self._settings = settings
        self._clock = clock
        self._firsts = Firsts()
        self._consumer: Consumer | None = None
        self._partitions: dict[TopicPartition, Partition] = {}
        self.failure: Exception | None = None

    def __iter__(self) -> Iterator[tuple[TopicPartition, Partition]]:
        return iter(list(self._partitions.items()))

    @property
    def consumer(self) -> Consumer:
        """The consumer whose partitions these are."""
        if self._consumer is None:
            raise RuntimeError("no consumer is attached")
        return self._consumer

    def attach(self, consumer: Consumer) -> None:
        """Begin with a new consumer, without partitions."""
        self._consumer = consumer
        self.failure = None

    def fetched(self, messages: Mapping[TopicPartition, Iterable[ConsumerRecord]]) -> None:
        """Sort messages into their partitions; those of a partition that is not ours at the moment come again."""
        for key, some in messages.items():
            if self._is_read(key):
                self._partitions[key].fetched(some)

    def is_ours(self, partition: Partition) -> bool:
        """Whether the partition is still ours."""
        return any(own is partition for own in self._partitions.values())

    def has_all(self, topic: str) -> bool:
        """Whether every partition of the topic is ours, so that no part of a trace is with somebody else."""
        every = self.consumer.partitions_for_topic(topic) or ()
        return all(TopicPartition(topic, number) in self._partitions for number in every)

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Commit what is done; what is not waits to see who gets it.

        What judges have in hand gets a moment to end: whoever gets the partition would ask them again.
        """
        for partition in self._partitions.values():
            partition.suspend()
        ends_at = self._clock.monotonic() + self._settings.hand_over_s
        while self._traces.in_hand > 0 and self._clock.monotonic() < ends_at:  # noqa: ASYNC110  many ways lead there
            await asyncio.sleep(_LOOK_S)
        await self.commit()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Go on with what stayed, hand back what did not, begin what is new."""
        self._metrics.rebalance()
        try:
            await self._assign(set(assigned))
        except Exception as error:  # aiokafka would log it and go on with partitions that nobody reads
            self.failure = error

    async def commit(self) -> None:
        """Commit the low watermarks that moved. A failure is counted: the next one will do, or another worker."""
        due = {key: commit for key, one in self._partitions.items() if (commit := one.to_commit) is not None}
        if not due:
            return
        marked = dict(self._partitions)
        try:
            await self.consumer.commit(due)
        except (KafkaError, IllegalStateError) as error:
            self._metrics.commit("failed")
            log.warning("offsets were not committed: %s", type(error).__name__)
            return
        self._metrics.commit("done")
        for key, (watermark, metadata) in due.items():
            marked[key].committed, marked[key].metadata = watermark, metadata

    async def reset(self, keys: Iterable[TopicPartition]) -> None:
        """Their offsets are gone: begin again where the settings say. Traces of what was read stay and are judged."""
        for key in keys:
            if not self._is_read(key):
                continue
            partition = self._partitions[key]
            oldest = await self._oldest(key)
            has_lost_past = partition.position < oldest <= partition.start
            begun = partition if has_lost_past else await self._begin_anew(key)
            if self._partitions.get(key) is not partition or not self._is_read(key):
                continue
            if has_lost_past:
                partition.lose_until(oldest, self._settings.look_back_s)
            else:
                self._partitions[key] = begun
                self._metrics.reset(key.topic)
                log.warning("%s %d: its offset is gone; reading on at %d", key.topic, key.partition, begun.start)
            self.consumer.seek(key, begun.position)

    def seek_again(self, keys: Iterable[TopicPartition]) -> None:
        """The consumer looked for a committed offset before it was told where to start."""
        for key in keys:
            if self._is_read(key):
                self.consumer.seek(key, self._partitions[key].position)

    def leave(self) -> None:
        """Hand back whatever is not judged. What judges have in hand still counts for the last commit."""
        for partition in self._partitions.values():
            partition.waiting.clear()
        self._release(list(self._partitions.values()))

    def abandon(self) -> None:
        """The consumer is gone: hand everything back and forget it."""
        self.leave()
        self._partitions.clear()

    def _is_read(self, key: TopicPartition) -> bool:
        """Whether the partition is ours and not about to be somebody else's."""
        return key in self._partitions and not self._partitions[key].source.suspended

    async def _assign(self, assigned: set[TopicPartition]) -> None:
        commits = await self.consumer.commits(assigned)
        committed = {key: one.offset for key, one in commits.items()}
        lost = [k for k, one in self._partitions.items() if k not in assigned or one.committed != committed.get(k)]
        self._release([self._partitions.pop(key) for key in lost])
        for key in assigned:
            partition = self._partitions.get(key) or await self._begin(key, commits.get(key))
            self.consumer.seek(key, partition.position)
            partition.resume()
            self._partitions[key] = partition

    async def _begin(self, key: TopicPartition, commit: OffsetAndMetadata | None) -> Partition:
        if commit is None:
            return await self._begin_anew(key)
        past = Past.load(commit.metadata, commit.offset) or Past.unknown(commit.offset, await self._oldest(key))
        return Partition(commit.offset, commit.offset, self._history(), past)

    async def _begin_anew(self, key: TopicPartition) -> Partition:
        """Where no offset is committed, or what was is gone."""
        oldest = await self._oldest(key)
        if self._settings.auto_offset_reset == "earliest":
            return Partition(oldest, None, self._history(), doubt_s=self._settings.look_back_s if oldest else 0.0)
        start = (await self.consumer.end_offsets([key]))[key]
        return Partition(start, None, self._history(), Past.unknown(start, oldest))

    async def _oldest(self, key: TopicPartition) -> int:
        offset: int = (await self.consumer.beginning_offsets([key]))[key]
        return offset

    def _history(self) -> History:
        return History(self._firsts, self._settings.look_back_s)

    def _release(self, partitions: list[Partition]) -> None:
        if partitions:
            self._metrics.handed_back(self._traces.hand_back([partition.source for partition in partitions]))
