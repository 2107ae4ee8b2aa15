"""Traces of which a worker can see a part only: no verdict on a part, and none of the whole is lost."""

import asyncio

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from evaluators.evaluation import Assessment, Skipped, SkipReason
from tests.kafka.broker import Broker
from tests.kafka.member import Member, member
from tests.kafka.topics import Topics, spans_of, topics_on, unique
from tests.servers import until

GRACE_S = 0.3
MINUTE_MS = 60_000


def is_whole(assessment: Assessment) -> bool:
    return len(assessment.sample.chunks) == 2 and bool(assessment.sample.answer)


def is_without_verdict(assessment: Assessment) -> bool:
    """A context of which a part is missing is also `truncated`."""
    missing = {Skipped(SkipReason.PARTIAL), Skipped(SkipReason.TRUNCATED)}
    return {evaluation.outcome for evaluation in assessment.evaluations} <= missing


async def judge_and_crash(topics: Topics, topic: str, group: str, watermark: int) -> Member:
    """A worker judges trace 1, commits so far, and is killed."""
    async with member(topics.address, topic, group, grace_s=GRACE_S) as one:
        await until(lambda: one.judged == [1], 20)

        async def is_committed() -> bool:
            return await topics.committed(group, topic) == watermark

        await until(is_committed, 10)
        await one.crash()
    assert is_whole(one.assessments[0])
    return one


@pytest.mark.usefixtures("apache_kafka")
async def test_060_a_judged_trace_on_both_sides_of_the_watermark_is_not_judged_from_its_second_half(
    kafka: Broker,
) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send(topic, spans_of(1, parts="retrieval"))
        await topics.send(topic, spans_of(2, parts="retrieval second"))
        await topics.send(topic, spans_of(1, parts="second root"))
        await judge_and_crash(topics, topic, group, watermark=1)
        async with member(kafka.address, topic, group, grace_s=GRACE_S) as two:
            await until(lambda: two.assembler.open_traces == 1, 20)
            await asyncio.sleep(3 * GRACE_S)
            assert two.judged == []
            await topics.send(topic, spans_of(2, parts="root"))
            await until(lambda: two.judged, 20)
            assert two.judged == [2]
            assert is_whole(two.assessments[0])
            assert two.value(f'kafka_messages_total{{outcome="recalled",topic="{topic}"}}') == 1


async def test_060_a_late_span_after_a_crash_corrects_the_verdict_on_the_whole_trace(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send(topic, spans_of(1, parts="retrieval"))
        await topics.send(topic, spans_of(1, parts="second root"))
        await judge_and_crash(topics, topic, group, watermark=2)
        await topics.send(topic, spans_of(1, parts="third"))
        async with member(kafka.address, topic, group, grace_s=GRACE_S) as two:
            await until(lambda: two.judged == [1], 20)
            sample = two.assessments[0].sample
            assert (len(sample.chunks), sample.revision) == (3, 1)
            assert sample.answer


async def test_060_a_late_span_that_was_under_way_at_a_crash_is_still_judged(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send(topic, spans_of(1, parts="retrieval"))
        await topics.send(topic, spans_of(1, parts="second root"))
        async with member(kafka.address, topic, group, grace_s=GRACE_S) as one:
            await until(lambda: one.judged == [1], 20)
            one.judges = False
            late = await topics.send(topic, spans_of(1, parts="third"))
            await until(lambda: one.asked == [1], 20)

            async def is_held() -> bool:
                return await topics.committed(group, topic) == late

            await until(is_held, 10)
            await one.crash()
        async with member(kafka.address, topic, group, grace_s=GRACE_S) as two:
            await until(lambda: two.judged == [1], 20)
            assert len(two.assessments[0].sample.chunks) == 3


async def test_060_a_trace_torn_over_two_members_by_a_producer_without_key_gets_no_verdict(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(partitions=2), unique("group")
        async with member(kafka.address, topic, group) as one, member(kafka.address, topic, group) as two:
            await until(lambda: len(list(one.receiver._group)) == len(list(two.receiver._group)) == 1, 20)
            await topics.send(topic, spans_of(1, parts="retrieval"), partition=0, key=None)
            await topics.send(topic, spans_of(1, parts="second root"), partition=1, key=None)
            await topics.send(topic, spans_of(2, parts="retrieval second root"), partition=1)
            await until(lambda: sorted(one.judged + two.judged) == [1, 2], 20)
            by_trace = {int(a.sample.trace_id, 16): a for a in one.assessments + two.assessments}
            assert is_without_verdict(by_trace[1])
            assert not is_without_verdict(by_trace[2])
            partial = 'traces_total{outcome="partial",service="shop"}'
            assert one.value(partial) + two.value(partial) == 1
            assert one.assembler.open_traces + two.assembler.open_traces == 1


@pytest.mark.usefixtures("apache_kafka")
async def test_060_what_retention_left_of_a_trace_gets_no_verdict_and_later_traces_do(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send(topic, spans_of(1, parts="retrieval"), timestamp_ms=10 * MINUTE_MS)
        await topics.send(topic, spans_of(1, parts="second root"), timestamp_ms=10 * MINUTE_MS)
        await topics.send(topic, spans_of(2, parts="retrieval second root"), timestamp_ms=11 * MINUTE_MS)
        await topics.delete_before(topic, 1)
        async with member(kafka.address, topic, group) as one:
            await until(lambda: len(one.judged) == 2, 20)
        assert one.value('traces_total{outcome="partial",service="shop"}') == 1
        assert one.judged == [1, 2]
        assert [is_without_verdict(assessment) for assessment in one.assessments] == [True, False]


async def test_060_a_group_that_starts_at_the_end_joins_the_traces_that_are_under_way(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic = await topics.create()
        await topics.send(topic, spans_of(1, parts="retrieval"))
        await topics.send(topic, spans_of(2, parts="retrieval second root"))
        async with member(kafka.address, topic, unique("group"), auto_offset_reset="latest") as one:
            await until(lambda: one.receiver.connected and list(one.receiver._group), 20)
            await topics.send(topic, spans_of(1, parts="second root"))
            await until(lambda: one.judged == [1], 20)
            assert is_whole(one.assessments[0])


async def test_060_after_a_tool_moved_the_offset_into_a_trace_it_is_judged_as_a_whole(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send(topic, spans_of(1, parts="retrieval"))
        moved = await topics.send(topic, spans_of(1, parts="second root"))
        tool = AIOKafkaConsumer(bootstrap_servers=kafka.address, group_id=group, enable_auto_commit=False)
        async with tool:
            tool.assign([TopicPartition(topic, 0)])
            await tool.commit({TopicPartition(topic, 0): moved})
        async with member(kafka.address, topic, group) as one:
            await until(lambda: one.judged == [1], 20)
            assert is_whole(one.assessments[0])
