"""What a RAG trace of 5 spans and 5 chunks of 1 KB takes of each role, of the brokers' disks and of Redis."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
from aiokafka import AIOKafkaConsumer, TopicPartition
from redis.asyncio import Redis

from tests.bench.kafka_fleet import Worker, judge_settings, llm_stub
from tests.bench.traffic import CHUNKS, rag_traces
from tests.kafka.broker import Broker
from tests.kafka.topics import Topics, topics_on, unique
from tests.servers import free_port, redis_server, until

CLAIMS = 4
PARTITIONS = 4
PER_REQUEST = 10
PATIENCE_S = 240.0
SETTLE_S = 3.0


class Chain(NamedTuple):
    """A process of each role, and how spans get in."""

    receive: Worker
    evaluate: Worker
    alert: Worker
    url: str
    spans: str
    evaluations: str

    def cpu_s(self) -> list[float]:
        """Of each so far."""
        return [one.cpu_s() for one in (self.receive, self.evaluate, self.alert)]


async def roles(broker: Broker, folder: Path, traces: int) -> list[tuple[str, str]]:
    """Run all cases; the rows of the table."""
    rows = [("", "CPU s/1000 traces: receive  evaluate     alert     Redis")]
    async with topics_on(broker.address) as topics, redis_server(folder) as port:
        redis = Redis(port=port)
        empty = (await redis.info())["used_memory"]
        with llm_stub(0.0, CHUNKS, CLAIMS) as llm:
            llm_judge = judge_settings(f"{llm}/w/v1") | {"cache": {"redis": {"url": f"redis://127.0.0.1:{port}/0"}}}
            lexical = {"judges": [{}]}
            nobody = {"judges": [{"sampling": [{"rate": 0.0}]}]}
            for name, judges in (("not sampled", nobody), ("lexical judges", lexical), ("an LLM judges", llm_judge)):
                async with _chain(topics, folder, judges) as chain:
                    rows += await _case(name, chain, topics, redis, empty, traces)
        await redis.aclose()
    return rows


async def _case(
    name: str, chain: Chain, topics: Topics, redis: Redis, empty: int, traces: int
) -> list[tuple[str, str]]:
    judged = name != "not sampled"
    await _through(chain, traces // 10, traces // 10, judged)
    before, redis_before = chain.cpu_s(), await redis.info()
    await _through(chain, traces, traces + traces // 10, judged)
    spent = [after - earlier for after, earlier in zip(chain.cpu_s(), before, strict=True)]
    redis_after = await redis.info()
    spent.append(_redis_cpu_s(redis_after) - _redis_cpu_s(redis_before))
    total = traces + traces // 10
    sizes = [("bytes of a trace in the topic", await _bytes(topics, chain.spans, PARTITIONS, total))]
    if judged:
        sizes.append(("bytes of a verdict in the topic", await _bytes(topics, chain.evaluations, 1, total)))
    if keys := redis_after.get("db0", {}).get("keys", 0):
        sizes.append(("bytes of a verdict in Redis", (redis_after["used_memory"] - empty) / keys))
    cpu = "".join(f"{one / traces * 1000:10.2f}" for one in spent)
    return [(name, f"{cpu:>56}"), *((f"{name}: {what}", f"{size:.0f}") for what, size in sizes)]


def _redis_cpu_s(info: dict[str, Any]) -> float:
    return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])


@asynccontextmanager
async def _chain(topics: Topics, folder: Path, judges: dict[str, Any]) -> AsyncIterator[Chain]:
    spans, evaluations = await topics.create("spans", PARTITIONS), await topics.create("evaluations", 1)
    kafka, port = {"bootstrap_servers": [topics.address]}, free_port()
    receiver = {"topics": [spans], "group_id": unique("group"), "dead_letter_topic": None}
    config = {
        "receivers": {"kafka": kafka | receiver, "grpc": None, "http": {"port": port}},
        "streams": kafka | {"spans_topic": spans, "evaluations_topic": evaluations},
        "assembly": {"grace_s": 1.0},
        "alerts": {"notifiers": []},
        **judges,
    }
    workers = [Worker(folder, unique(role), role, config) for role in ("receive", "evaluate", "alert")]
    async with AsyncExitStack() as stack:
        for worker in workers:
            stack.push_async_callback(asyncio.to_thread, worker.stop)
            worker.start()
        for worker in workers:
            await asyncio.to_thread(worker.wait_ready)
        await asyncio.sleep(SETTLE_S)
        yield Chain(*workers, f"http://127.0.0.1:{port}/v1/traces", spans, evaluations)


async def _through(chain: Chain, traces: int, total: int, judged: bool) -> None:
    """Send traces, and wait until the last role has so many in all."""
    rng = random.Random(time.time_ns())
    headers = {"Content-Type": "application/x-protobuf"}
    async with aiohttp.ClientSession(headers=headers) as session:
        for _ in range(traces // PER_REQUEST):
            async with session.post(chain.url, data=rag_traces(rng, PER_REQUEST)) as response:
                response.raise_for_status()
    last, series = (chain.alert, "stream_messages_total") if judged else (chain.evaluate, "traces_total")

    async def arrived() -> bool:
        (count,) = await asyncio.to_thread(last.metrics, series)
        return count >= total

    await until(arrived, PATIENCE_S, 1.0)


async def _bytes(topics: Topics, topic: str, count: int, traces: int) -> float:
    """What a trace takes in a topic of `count` partitions, before any compression."""
    consumer = AIOKafkaConsumer(bootstrap_servers=topics.address, enable_auto_commit=False)
    await consumer.start()
    try:
        partitions = [TopicPartition(topic, number) for number in range(count)]
        consumer.assign(partitions)
        await consumer.seek_to_beginning()
        ends, size = await consumer.end_offsets(partitions), 0
        while any([await consumer.position(one) < ends[one] for one in partitions]):
            for messages in (await consumer.getmany(timeout_ms=500)).values():
                size += sum(len(message.key or b"") + len(message.value or b"") for message in messages)
        return size / traces
    finally:
        await consumer.stop()
