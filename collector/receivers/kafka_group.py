"""The partitions that a worker has at the moment, as its consumer group deals them out."""

import asyncio
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Protocol

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, ConsumerRecord, TopicPartition
from aiokafka.errors import IllegalStateError, KafkaError

from collector.receipts import Source
from collector.receivers.kafka_metrics import KafkaMetrics
from collector.receivers.kafka_partition import Partition

log = logging.getLogger(__name__)


class HandBack(Protocol):
    """Lets go of the unjudged traces of some sources; returns how many there were."""

    def __call__(self, sources: Collection[Source], /) -> int: ...


class Group(ConsumerRebalanceListener):  # type: ignore[misc]
    """Keeps each partition's watermark through rebalances.

    Every rebalance revokes everything, and most of it comes back: what comes back, and that nobody has committed to
    meanwhile, goes on where it was. What does not is handed back. No lock is held anywhere: all state changes between
    two awaits, and whoever awaits looks again at what it has.
    """

    def __init__(self, hand_back: HandBack, metrics: KafkaMetrics, reset_to: str) -> None:
        self._hand_back = hand_back
        self._metrics = metrics
        self._reset_to = reset_to
        self._consumer: AIOKafkaConsumer | None = None
        self._partitions: dict[TopicPartition, Partition] = {}
        self.failure: Exception | None = None

    def __iter__(self) -> Iterator[tuple[TopicPartition, Partition]]:
        return iter(list(self._partitions.items()))

    @property
    def consumer(self) -> AIOKafkaConsumer:
        """The consumer whose partitions these are."""
        if self._consumer is None:
            raise RuntimeError("no consumer is attached")
        return self._consumer

    def attach(self, consumer: AIOKafkaConsumer) -> None:
        """Begin with a new consumer, without partitions."""
        self._consumer = consumer
        self.failure = None

    def fetched(self, messages: Mapping[TopicPartition, Iterable[ConsumerRecord]]) -> None:
        """Sort messages into their partitions; those of a partition that is not ours at the moment come again."""
        for key, some in messages.items():
            partition = self._partitions.get(key)
            if partition is not None and not partition.source.suspended:
                partition.fetched(some)

    def is_ours(self, partition: Partition) -> bool:
        """Whether the partition is still ours."""
        return any(own is partition for own in self._partitions.values())

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Commit what is done; what is not waits to see who gets it."""
        for partition in self._partitions.values():
            partition.suspend()
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
        due = {key: mark for key, one in self._partitions.items() if (mark := one.to_commit) is not None}
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
        for key, mark in due.items():
            marked[key].committed = mark

    async def reset(self, keys: Iterable[TopicPartition]) -> None:
        """Their offsets are gone: begin again where the settings say. Traces of what was read stay and are judged."""
        for key in keys:
            if key not in self._partitions or self._partitions[key].source.suspended:
                continue
            self._metrics.reset(key.topic)
            start = await self._start_of(key)
            log.warning("%s partition %d: its offset is gone; reading on at %d", key.topic, key.partition, start)
            self._partitions[key] = Partition(start, None)
            self.consumer.seek(key, start)

    def seek_again(self, keys: Iterable[TopicPartition]) -> None:
        """The consumer looked for a committed offset before it was told where to start."""
        for key in keys:
            if key in self._partitions and not self._partitions[key].source.suspended:
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

    async def _assign(self, assigned: set[TopicPartition]) -> None:
        committed = dict(zip(assigned, await asyncio.gather(*map(self.consumer.committed, assigned)), strict=True))
        lost = [key for key, one in self._partitions.items() if key not in assigned or one.committed != committed[key]]
        self._release([self._partitions.pop(key) for key in lost])
        for key in assigned:
            partition = self._partitions.get(key)
            if partition is None:
                start = committed[key]
                partition = Partition(await self._start_of(key) if start is None else start, start)
            self.consumer.seek(key, partition.position)
            partition.resume()
            self._partitions[key] = partition

    async def _start_of(self, key: TopicPartition) -> int:
        ask = self.consumer.beginning_offsets if self._reset_to == "earliest" else self.consumer.end_offsets
        offset: int = (await ask([key]))[key]
        return offset

    def _release(self, partitions: list[Partition]) -> None:
        if partitions:
            self._metrics.handed_back(self._hand_back([partition.source for partition in partitions]))
