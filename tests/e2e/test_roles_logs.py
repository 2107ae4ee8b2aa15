"""Content in log records, where those who take it and those who judge it meet in Kafka."""

import asyncio

import pytest
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.log_packet import pack, unpack
from collector.receivers.kafka_messages import KIND, LOG_EVENTS
from collector.roles import Role
from evaluators.sample import RagSample
from tests.collector.handmade import ANSWER, QUESTION, REFUNDS, TRACE_ID, Made, chain, retriever
from tests.collector.test_logs import CHAT, SAID, events, log_one, record
from tests.collector.test_service import post
from tests.e2e.test_roles import fleet
from tests.kafka.broker import Broker
from tests.kafka.member import member
from tests.kafka.topics import topics_on, unique
from tests.servers import until

ROOT, FOUND = chain(said=None, asked=None), retriever(2, REFUNDS, asked=None)
KEY = TRACE_ID.hex().encode()


def request(*spans: Made) -> bytes:
    message = ExportTraceServiceRequest()
    group = message.resource_spans.add()
    group.resource.attributes.add(key="service.name").value.string_value = "shop"
    group.scope_spans.add().spans.extend(Span.FromString(span.raw()) for span in spans)
    return message.SerializeToString()


def is_joined(sample: RagSample) -> bool:
    return (sample.question, sample.answer) == (QUESTION, ANSWER) and bool(sample.chunks)


@pytest.mark.usefixtures("apache_kafka")
async def test_log_records_that_a_front_takes_are_joined_to_their_spans_by_the_worker_that_judges(
    kafka: Broker,
) -> None:
    async with (
        fleet(kafka) as several,
        several.running(Role.RECEIVE) as front,
        several.running(Role.EVALUATE) as worker,
    ):
        url = f"http://127.0.0.1:{front.receivers['http'].port}/v1/logs"
        content = {"gen_ai.input.messages": [{"role": "user", "content": QUESTION}], "gen_ai.output.messages": SAID}
        await asyncio.to_thread(log_one, OTLPLogExporter(endpoint=url), content)
        assert await post(front, request(ROOT, FOUND, CHAT)) == 200
        stored = await until(lambda: worker.store.get(TRACE_ID.hex()), 30)
        await until(lambda: stored.assessments, 30)
        assert is_joined(stored.assessments["lexical"].sample)


async def test_058_log_records_before_the_watermark_are_read_again_for_a_trace_that_is_still_open(
    kafka: Broker,
) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send(topic, pack(events(record())), key=KEY, headers=[(KIND, LOG_EVENTS)])
        await topics.send(topic, request(FOUND, CHAT), key=KEY)
        async with member(kafka.address, topic, group) as one:
            await until(lambda: one.assembler.open_traces == 1, 20)

            async def has_passed_the_record() -> bool:
                return await topics.committed(group, topic) == 1

            await until(has_passed_the_record, 10)
            await one.crash()
        async with member(kafka.address, topic, group) as two:
            await topics.send(topic, request(ROOT), key=KEY)
            await until(lambda: two.judged, 20)
            assert is_joined(two.assessments[0].sample)


async def test_055_a_packet_of_log_events_that_cannot_be_read_is_a_dead_letter(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, letters = await topics.create(), await topics.create("letters")
        await topics.send(topic, b"\xff not a packet", headers=[(KIND, LOG_EVENTS)])
        async with member(kafka.address, topic, unique("group"), dead_letter_topic=letters):
            (letter,) = await topics.read(letters, 1)
        assert dict(letter.headers)["groundwatch.error"] == b"decode_error"


def test_a_packet_holds_its_events_as_they_were() -> None:
    told = events(record(3, time_unix_nano=7), record(4, time_unix_nano=8))
    assert unpack(pack(told)).events == told
