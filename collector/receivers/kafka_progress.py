"""How far a worker is behind, as gauges."""

from collections.abc import Iterable

from aiokafka.errors import KafkaError

from collector.receivers.kafka_group import Group
from collector.receivers.kafka_metrics import KafkaMetrics


async def measure(group: Group, topics: Iterable[str], series: KafkaMetrics, now: float) -> bool:
    """Set the gauges of the topics; False where the brokers do not answer. `now` is monotonic."""
    partitions = list(group)
    try:
        ends = await group.consumer.end_offsets([key for key, _ in partitions]) if partitions else {}
    except (KafkaError, OSError, TimeoutError):
        return False
    for topic in topics:
        own = {key: one for key, one in partitions if key.topic == topic}
        oldest = [one.source.oldest.taken_at for one in own.values() if one.source.oldest is not None]
        series.backlog(
            topic,
            lag=sum(max(0, ends.get(key, 0) - one.source.position) for key, one in own.items()),
            owed=sum(one.source.position - one.source.low_watermark for one in own.values()),
            age_s=now - min(oldest, default=now),
        )
        stopped = sum(one.stopped_until > now for one in own.values())
        paused = sum(one.paused and one.stopped_until <= now for one in own.values())
        series.partitions(topic, reading=len(own) - paused - stopped, paused=paused, stopped=stopped)
    return True
