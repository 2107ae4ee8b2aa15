"""Verdicts on their way to a topic that does not take them for a while."""

import asyncio

from alerts.series import SeriesRegistry
from collector.streams.metrics import StreamMetrics
from collector.streams.relay import MAX_PENDING, EvaluationRelay
from collector.streams.settings import StreamSettings
from tests import verdicts
from tests.fakes import TopicLog
from tests.servers import until

MORE = 10


async def test_of_more_than_can_wait_the_oldest_that_are_not_being_sent_are_dropped_and_all_others_written() -> None:
    topic, done = TopicLog(), set[int]()
    settings = StreamSettings(bootstrap_servers=("localhost:9092",))
    relay = EvaluationRelay(settings, topic, StreamMetrics(SeriesRegistry({})))  # type: ignore[arg-type]
    running = asyncio.create_task(relay.run())
    verdict = verdicts.good(1)
    relay.put(verdict, lambda: done.add(0))
    await asyncio.sleep(0)  # it is being sent
    for number in range(1, MAX_PENDING + MORE + 1):
        relay.put(verdict, lambda number=number: done.add(-number))
    topic.open.set()
    await until(lambda: not len(relay), 30)
    running.cancel()
    assert len(topic.values) == MAX_PENDING + 1
    assert done == {0} | {-number for number in range(MORE + 1, MAX_PENDING + MORE + 1)}
