import asyncio
import time

import pytest

from tests.kafka.broker import Broker
from tests.kafka.member import member
from tests.kafka.topics import spans_of, topics_on, unique
from tests.servers import until


async def test_057_what_was_not_judged_at_a_crash_is_read_again_with_the_same_evaluation_ids(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send_traces(topic, range(1, 6))
        async with member(kafka.address, topic, group, judges=False) as one:
            await until(lambda: len(one.asked) == 5, 20)
            asked = {sample.trace_id: sample for sample, _, _ in one.dispatched.submitted}
            one.judge()
            first = {e.id for assessment in one.assessments for e in assessment.evaluations}
            await one.crash()
        # Whether a commit came before the crash or not: nothing is lost, and a repeat is the same evaluation.
        async with member(kafka.address, topic, group) as two:
            await topics.send_traces(topic, [9])
            await until(lambda: 9 in two.judged, 20)
        again = [a for a in two.assessments if a.sample.trace_id in asked]
        assert {e.id for assessment in again for e in assessment.evaluations} <= first
        assert sorted({*one.judged, *two.judged}) == [1, 2, 3, 4, 5, 9]


async def test_057_a_trace_that_a_judge_had_in_hand_is_judged_by_whoever_comes_next(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send_traces(topic, range(1, 6))
        async with member(kafka.address, topic, group, judges=False) as one:
            await until(lambda: len(one.asked) == 5, 20)
            await asyncio.sleep(0.3)
            assert await topics.committed(group, topic) in (None, 0)
            await one.crash()
        async with member(kafka.address, topic, group) as two:
            await until(lambda: sorted(two.judged) == [1, 2, 3, 4, 5], 20)


async def test_058_an_open_trace_holds_the_watermark_at_its_first_span_until_it_is_judged(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send_traces(topic, [1])
        held = await topics.send(topic, spans_of(2, parts="retrieval"))
        await topics.send_traces(topic, [3, 4])
        async with member(kafka.address, topic, group) as one:
            await until(lambda: sorted(one.judged) == [1, 3, 4], 20)

            async def is_held() -> bool:
                return await topics.committed(group, topic) == held

            await until(is_held, 10)
            await until(lambda: one.value(f'kafka_watermark_age_seconds{{topic="{topic}"}}') > 0, 10)
            end = await topics.send(topic, spans_of(2, parts="root"))
            await until(lambda: 2 in one.judged, 10)

            async def is_released() -> bool:
                return await topics.committed(group, topic) == end + 1

            await until(is_released, 10)


async def test_059_a_rebalance_moves_open_traces_unjudged_and_each_is_judged_once_and_whole(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(partitions=4), unique("group")
        numbers = range(1, 41)
        for number in numbers:
            await topics.send(topic, spans_of(number, parts="retrieval"), partition=number % 4)
        async with member(kafka.address, topic, group) as one:
            await until(lambda: one.assembler.open_traces == 40, 20)
            async with member(kafka.address, topic, group) as two:
                await until(lambda: two.assembler.open_traces == 20, 20)
                assert one.assembler.open_traces == 20
                assert one.value("kafka_traces_handed_back_total") == 20
                assert one.judged == two.judged == []
                for number in numbers:
                    await topics.send(topic, spans_of(number, parts="root"), partition=number % 4)
                await until(lambda: len(one.judged) + len(two.judged) == 40, 20)
        assert sorted(one.judged + two.judged) == list(numbers)
        for assessment in one.assessments + two.assessments:
            assert assessment.sample.chunks
            assert assessment.sample.answer


async def test_059_what_a_leaving_member_had_open_is_taken_over_by_the_others(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(partitions=2), unique("group")
        async with member(kafka.address, topic, group) as one:
            async with member(kafka.address, topic, group) as two:
                await until(lambda: len(list(one.receiver._group)) == len(list(two.receiver._group)) == 1, 20)
                for number in range(1, 11):
                    await topics.send(topic, spans_of(number, parts="retrieval"), partition=number % 2)
                await until(lambda: two.assembler.open_traces == one.assembler.open_traces == 5, 20)
            await until(lambda: one.assembler.open_traces == 10, 20)
            for number in range(1, 11):
                await topics.send(topic, spans_of(number, parts="root"), partition=number % 2)
            await until(lambda: sorted(one.judged) == list(range(1, 11)), 20)
        assert two.judged == []


async def test_060_messages_without_key_are_counted_and_one_member_still_joins_their_traces(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic = await topics.create(partitions=2)
        await topics.send(topic, spans_of(7, parts="retrieval"), partition=0, key=None)
        await topics.send(topic, spans_of(7, parts="root"), partition=1, key=None)
        async with member(kafka.address, topic, unique("group")) as one:
            await until(lambda: one.judged == [7], 20)
            (assessment,) = one.assessments
            assert assessment.sample.chunks
            assert one.value(f'kafka_unkeyed_messages_total{{topic="{topic}"}}') == 2


@pytest.mark.usefixtures("apache_kafka")
async def test_059_a_member_that_stood_still_past_its_session_joins_again_and_goes_on_where_it_was(
    kafka: Broker,
) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(partitions=2), unique("group")
        async with member(kafka.address, topic, group, session_timeout_s=1.5, judges=False) as one:
            await topics.send_traces(topic, range(1, 6), partitions=2)
            await until(lambda: len(one.asked) == 5, 20)
            time.sleep(3.0)  # noqa: ASYNC251  the whole process stands still: no heartbeat, no commit
            await topics.send_traces(topic, range(6, 11), partitions=2)
            await until(lambda: len(one.asked) == 10 and one.value("kafka_rebalances_total") >= 2, 30)
            one.judge()
            assert sorted(one.judged) == list(range(1, 11))

            async def all_committed() -> bool:
                return [await topics.committed(group, topic, partition) for partition in (0, 1)] == [5, 5]

            await until(all_committed, 20)
