"""Messages that a broker refuses because they are too large: the others are written all the same."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from alerts.series import SeriesRegistry
from collector.codec import Codec
from collector.conventions.reader import TraceReader
from collector.spans import SpanBatch
from collector.status import Reason, RefusedError
from collector.streams.metrics import StreamMetrics
from collector.streams.relay import EvaluationRelay
from collector.streams.settings import StreamSettings
from collector.streams.spans import SpanProducer
from collector.streams.writer import Writer
from evaluators.errors import RetryableError
from tests import verdicts
from tests.kafka.broker import Broker
from tests.kafka.topics import Topics, spans_of, topics_on
from tests.servers import until

HUGE = secrets.token_hex(3 << 20)
"""Text that stays large when compressed."""


class Wired:
    """A writer to topics of one partition each."""

    def __init__(self, topics: Topics, topic: str) -> None:
        self.topics, self.topic = topics, topic
        settings = StreamSettings(bootstrap_servers=(topics.address,), spans_topic=topic, evaluations_topic=topic)
        self.series = SeriesRegistry({})
        metrics = StreamMetrics(self.series)
        self.writer = Writer(settings)
        self.producer = SpanProducer(settings, self.writer, metrics)
        self.relay = EvaluationRelay(settings, self.writer, metrics)
        self._codec = Codec(TraceReader().markers)

    async def export(self, *bodies: bytes) -> None:
        """As an exporter does with one request: again while it is told to."""
        for _ in range(20):
            batch: SpanBatch = self._codec.decode(b"".join(bodies))
            try:
                self.producer.take(batch)
                if batch.stored is not None:
                    await batch.stored
            except RetryableError:
                await asyncio.sleep(0.1)
            else:
                return
        pytest.fail("it was told to try again, for ever")

    def count(self, outcome: str) -> float:
        wanted = f'groundwatch_stream_messages_total{{outcome="{outcome}"'
        page = self.series.render("")[0].decode().splitlines()
        return sum(float(line.split()[-1]) for line in page if line.startswith(wanted))


@pytest.fixture
async def wired(apache_kafka: Broker) -> AsyncIterator[Wired]:
    async with topics_on(apache_kafka.address) as topics:
        one = Wired(topics, await topics.create())
        one.writer.start()
        await until(lambda: one.writer.connected)
        yield one
        await one.writer.close()


async def test_a_trace_that_is_too_large_is_refused_by_name_of_the_setting_and_never_tried_again(wired: Wired) -> None:
    with pytest.raises(RefusedError, match=r"raise max\.message\.bytes of spans-\d+") as refusal:
        await wired.export(spans_of(1, answer=HUGE))
    assert refusal.value.reason is Reason.TOO_LARGE
    await wired.export(spans_of(1, parts="retrieval"))
    assert (wired.count("dropped"), wired.count("written")) == (2, 0)


async def test_the_traces_after_it_and_beside_it_in_a_request_are_written(wired: Wired) -> None:
    await wired.export(spans_of(1), spans_of(2, answer=HUGE), *(spans_of(number) for number in range(3, 40)))
    await wired.export(spans_of(40))
    read = await wired.topics.read(wired.topic, int(wired.count("written")))
    assert {int(one.key, 16) for one in read} == {1, *range(3, 41)}


async def test_a_verdict_that_is_too_large_is_dropped_and_the_next_ones_are_written(wired: Wired) -> None:
    running = asyncio.create_task(wired.relay.run())
    done: list[int] = []
    try:
        for number in range(1, 6):
            one = verdicts.good(number)
            if number == 2:
                one = replace(one, sample=replace(one.sample, answer=HUGE))
            wired.relay.put(one, lambda number=number: done.append(number))
        await until(lambda: sorted(done) == [1, 2, 3, 4, 5], 20)
    finally:
        running.cancel()
    assert (wired.count("dropped"), wired.count("written")) == (1, 4)
