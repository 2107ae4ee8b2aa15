"""Topics on a real broker: made, written, read and asked about."""

import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic, RecordsToDelete
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.servers import until

_numbers = itertools.count(1)


def unique(name: str) -> str:
    """A name that no other test of the session uses."""
    return f"{name}-{next(_numbers)}"


def trace_id(number: int) -> bytes:
    return number.to_bytes(16, "big")


RIGHT, WRONG = "You can return it within 30 days.", "Refunds are made within 90 days."


def spans_of(number: int, *, parts: str = "retrieval root", service: str = "shop", answer: str = RIGHT) -> bytes:
    """A request with the named spans of one RAG trace."""
    request = ExportTraceServiceRequest()
    resource = request.resource_spans.add()
    resource.resource.attributes.add(key="service.name").value.string_value = service
    spans = resource.scope_spans.add().spans
    question = f"Within how many days can order {number} be returned?"
    made = {
        "retrieval": (2, "RETRIEVER", {"retrieval.documents.0.document.content": "Refunds are made within 30 days."}),
        "second": (3, "RETRIEVER", {"retrieval.documents.0.document.content": "Receipts are needed."}),
        "third": (4, "RETRIEVER", {"retrieval.documents.0.document.content": "Shipping is free."}),
        "root": (1, "CHAIN", {"output.value": answer}),
    }
    for part in parts.split():
        span_id, kind, attributes = made[part]
        span = spans.add(name=part, start_time_unix_nano=1, end_time_unix_nano=2)
        span.trace_id, span.span_id = trace_id(number), span_id.to_bytes(8, "big")
        span.parent_span_id = b"" if span_id == 1 else (1).to_bytes(8, "big")
        for key, value in {"openinference.span.kind": kind, "input.value": question, **attributes}.items():
            span.attributes.add(key=key).value.string_value = value
    return request.SerializeToString()


class Topics:
    """One broker's topics, through a producer and an admin client."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.admin = AIOKafkaAdminClient(bootstrap_servers=address)
        self.producer = AIOKafkaProducer(bootstrap_servers=address, max_request_size=32 << 20)

    async def create(self, name: str = "spans", partitions: int = 1, **configs: str) -> str:
        topic = unique(name)
        await self.make(topic, partitions, **configs)
        return topic

    async def make(self, topic: str, partitions: int = 1, **configs: str) -> None:
        topic_configs = {key.replace("_", "."): value for key, value in configs.items()}
        await self.admin.create_topics([NewTopic(topic, partitions, 1, topic_configs=topic_configs)])
        await until(lambda: self._exists(topic, partitions))

    async def delete(self, topic: str) -> None:
        await self.admin.delete_topics([topic])

    async def is_gone(self, topic: str) -> bool:
        (found,) = await self.admin.describe_topics([topic])
        return not found.get("partitions")

    async def delete_before(self, topic: str, offset: int) -> None:
        await self.admin.delete_records({TopicPartition(topic, 0): RecordsToDelete(before_offset=offset)})

    async def send(self, topic: str, value: bytes | None, partition: int = 0, **rest: Any) -> int:
        """Write one message; its offset."""
        rest.setdefault("key", b"k")
        written = await self.producer.send_and_wait(topic, value, partition=partition, **rest)
        return int(written.offset)

    async def send_traces(self, topic: str, numbers: Sequence[int], partitions: int = 1) -> None:
        for number in numbers:
            await self.producer.send(
                topic, spans_of(number), key=trace_id(number).hex().encode(), partition=number % partitions
            )
        await self.producer.flush()

    async def committed(self, group: str, topic: str, partition: int = 0) -> int | None:
        key = TopicPartition(topic, partition)
        offsets = await self.admin.list_consumer_group_offsets(group, partitions=[key])
        found = offsets.get(key)
        return None if found is None or found.offset < 0 else int(found.offset)

    async def read(self, topic: str, count: int) -> list[ConsumerRecord]:
        """The first `count` messages of a topic."""
        consumer = AIOKafkaConsumer(topic, bootstrap_servers=self.address, auto_offset_reset="earliest")
        await consumer.start()
        try:
            return [await consumer.getone() for _ in range(count)]
        finally:
            await consumer.stop()

    async def all_of(self, topic: str) -> list[ConsumerRecord]:
        """Every message that is there by now."""
        consumer = AIOKafkaConsumer(bootstrap_servers=self.address, auto_offset_reset="earliest")
        await consumer.start()
        try:
            keys = [TopicPartition(topic, number) for number in await self._partitions(topic)]
            consumer.assign(keys)
            ends, found = await consumer.end_offsets(keys), []
            while any([await consumer.position(key) < ends[key] for key in keys]):
                for messages in (await consumer.getmany(timeout_ms=200)).values():
                    found += messages
            return found
        finally:
            await consumer.stop()

    async def _partitions(self, topic: str) -> list[int]:
        (found,) = await self.admin.describe_topics([topic])
        return [one["partition"] for one in found["partitions"]]

    async def _exists(self, topic: str, partitions: int) -> bool:
        (found,) = await self.admin.describe_topics([topic])
        return len(found.get("partitions", ())) == partitions


@asynccontextmanager
async def topics_on(address: str) -> AsyncIterator[Topics]:
    topics = Topics(address)
    await topics.admin.start()
    await topics.producer.start()
    try:
        yield topics
    finally:
        await topics.producer.stop()
        await topics.admin.close()
