"""What happens to partitions while something is awaited, and how they are counted: without a broker, which is never so
quick, nor so slow, as these want.
"""

from aiokafka import ConsumerRecord, TopicPartition

from alerts.exposition import Metrics
from collector.codec import Codec
from collector.conventions.reader import TraceReader
from collector.receivers.kafka_delivery import Delivery
from collector.receivers.kafka_group import Group
from collector.receivers.kafka_metrics import KafkaMetrics
from collector.receivers.kafka_partition import Partition
from collector.receivers.kafka_progress import measure
from collector.receivers.kafka_settings import KafkaReceiverSettings
from tests.alerts.engines import series
from tests.fakes import ConsumerStub, FakeClock, SpanLog, TracesLog
from tests.kafka.topics import spans_of

TOPIC, KEY = "spans", TopicPartition("spans", 0)
SETTINGS = KafkaReceiverSettings(bootstrap_servers=("localhost:9092",), topics=(TOPIC,))


def message(offset: int, key: bytes | None = None) -> ConsumerRecord[bytes, bytes]:
    return ConsumerRecord(TOPIC, 0, offset, 0, 0, key, spans_of(offset), None, 0, 0, ())


class Bench:
    """A group with one partition, and what delivers its messages."""

    def __init__(self, refusals: int = 0) -> None:
        self.metrics, self.traces, clock = Metrics(FakeClock()), TracesLog(refusals), FakeClock()
        self.counts = KafkaMetrics(self.metrics.series)
        self.group = Group(self.traces, self.counts, SETTINGS, clock)
        codec = Codec(TraceReader().markers)
        self.delivery = Delivery(SETTINGS, codec, self.traces, SpanLog(), self.metrics, self.counts, clock, self.group)
        self.consumer = ConsumerStub()
        self.group.attach(self.consumer)  # type: ignore[arg-type]

    async def assigned(self) -> Partition:
        """The partition, once it is ours."""
        await self.group.on_partitions_assigned([KEY])
        return dict(self.group)[KEY]


async def test_a_partition_that_is_revoked_while_its_offset_is_reset_stays_the_one_that_comes_back() -> None:
    b = Bench()
    partition = await b.assigned()
    sought = list(b.consumer.sought)

    async def revoke() -> None:
        await b.group.on_partitions_revoked([KEY])

    b.consumer.asked = revoke
    await b.group.reset([KEY])
    assert dict(b.group) == {KEY: partition}
    assert b.consumer.sought == sought
    assert await b.assigned() is partition
    assert not partition.source.suspended


async def test_a_message_without_key_counts_once_however_often_it_has_to_wait() -> None:
    b = Bench(refusals=3)
    partition = await b.assigned()
    partition.fetched([message(0)])
    for _ in range(5):
        await b.delivery.work(partition)
    assert len(b.traces.taken) == 1
    assert series(b.metrics, "groundwatch_kafka_unkeyed_messages_total", topic=TOPIC) == 1


async def test_a_partition_that_stops_before_it_is_paused_counts_as_stopped_alone() -> None:
    b = Bench()
    partition = await b.assigned()
    for partition.paused in (False, True):
        partition.stopped_until = 5.0
        assert await measure(b.group, [TOPIC], b.counts, now=0.0)
        states = ("reading", "paused", "stopped")
        counts = [series(b.metrics, "groundwatch_kafka_partitions", topic=TOPIC, state=state) for state in states]
        assert counts == [0, 0, 1]
