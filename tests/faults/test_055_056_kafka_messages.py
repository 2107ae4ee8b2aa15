import json

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.kafka.broker import Broker
from tests.kafka.member import member
from tests.kafka.topics import spans_of, topics_on, unique
from tests.servers import until


def as_json(number: int) -> bytes:
    """OTLP/JSON: ids in hex."""
    document = json_format.MessageToDict(
        ExportTraceServiceRequest.FromString(spans_of(number)), use_integers_for_enums=True
    )
    for span in document["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        own = number.to_bytes(16, "big").hex()
        span_id = 1 if span["name"] == "root" else 2
        span |= {"traceId": own, "spanId": span_id.to_bytes(8, "big").hex()}
        span["parentSpanId"] = "" if span_id == 1 else (1).to_bytes(8, "big").hex()
    return json.dumps(document).encode()


async def test_055_a_poison_message_goes_to_the_dead_letters_with_its_origin_and_the_rest_is_judged(
    kafka: Broker,
) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        letters = await topics.create("letters")
        await topics.send(topic, b"\xff not otlp", key=b"who", headers=[("tenant", b"a")])
        await topics.send(topic, spans_of(7))
        async with member(kafka.address, topic, group, dead_letter_topic=letters) as one:
            await until(lambda: one.judged == [7], 20)
            await until(lambda: topics.committed(group, topic), 10)
        (letter,) = await topics.read(letters, 1)
        assert (letter.value, letter.key) == (b"\xff not otlp", b"who")
        headers = dict(letter.headers)
        assert headers["tenant"] == b"a"
        assert headers["groundwatch.topic"] == topic.encode()
        assert (headers["groundwatch.partition"], headers["groundwatch.offset"]) == (b"0", b"0")
        assert headers["groundwatch.error"] == b"decode_error"
        assert await topics.committed(group, topic) == 2
        assert one.value(f'kafka_messages_total{{outcome="dead_letter",topic="{topic}"}}') == 1
        assert one.value('spans_rejected_total{reason="decode_error",receiver="kafka"}') == 1


@pytest.mark.usefixtures("apache_kafka")
async def test_055_where_the_dead_letters_cannot_be_written_the_partition_stops_and_others_go_on(
    kafka: Broker,
) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(partitions=2), unique("group")
        letters = await topics.create("letters", max_message_bytes="10")
        await topics.send(topic, b"\xff not otlp")
        await topics.send(topic, spans_of(7))
        await topics.send(topic, spans_of(8), partition=1)
        async with member(kafka.address, topic, group, dead_letter_topic=letters) as one:
            await until(lambda: one.judged == [8], 20)
            await until(lambda: one.value(f'kafka_partitions{{state="stopped",topic="{topic}"}}') == 1, 20)
            await until(lambda: topics.committed(group, topic, 1), 10)
            assert await topics.committed(group, topic, 0) in (None, 0)
            assert one.judged == [8]


async def test_055_without_a_dead_letter_topic_a_poison_message_is_counted_and_passed_over(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic = await topics.create()
        await topics.send(topic, b"\xff not otlp")
        await topics.send(topic, spans_of(7))
        async with member(kafka.address, topic, unique("group"), dead_letter_topic=None) as one:
            await until(lambda: one.judged == [7], 20)
            assert one.value(f'kafka_messages_total{{outcome="passed_over",topic="{topic}"}}') == 1


async def test_056_tombstones_pass_and_the_content_type_tells_json_from_protobuf(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(), unique("group")
        await topics.send(topic, None)
        await topics.send(topic, b"")
        await topics.send(topic, as_json(5), headers=[("Content-Type", b"application/json; charset=utf-8")])
        await topics.send(topic, spans_of(6), headers=[("content-type", b"application/x-protobuf")])
        await topics.send(topic, spans_of(7))
        await topics.send(topic, spans_of(8), headers=[("content-type", b"text/html")])
        async with member(kafka.address, topic, group, dead_letter_topic=None) as one:
            await until(lambda: sorted(one.judged) == [5, 6, 7], 20)
            await until(lambda: one.value('spans_rejected_total{reason="unsupported_type",receiver="kafka"}') == 1)
            assert one.value(f'kafka_messages_total{{outcome="tombstone",topic="{topic}"}}') == 2


async def test_056_the_configured_encoding_is_that_of_messages_without_content_type(kafka: Broker) -> None:
    async with topics_on(kafka.address) as topics:
        topic = await topics.create()
        await topics.send(topic, as_json(5))
        async with member(kafka.address, topic, unique("group"), encoding="otlp_json") as one:
            await until(lambda: one.judged == [5], 20)
