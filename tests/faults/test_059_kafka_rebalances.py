"""Members that join and leave in good order, every other second, under load."""

import asyncio
import re
import time
from collections import Counter
from contextlib import AsyncExitStack
from typing import Any

import orjson
import pytest

from collector.config import JudgeConfig, ReceiversConfig
from collector.roles import Role
from evaluators.assessment_codec import load_assessment
from evaluators.evaluation import Scored
from evaluators.judges.openai import OpenAISettings
from tests.collector.test_service import value
from tests.e2e.test_roles import Fleet, fleet
from tests.fakes import OpenAIStub, StubReply, completion
from tests.kafka.broker import Broker
from tests.kafka.member import member
from tests.kafka.topics import RIGHT, spans_of, topics_on, unique
from tests.servers import until

TRACES, BEHIND, PER_S = 500, 40, 50
SWAP_S = 1.5
ANSWER_S = 0.1

pytestmark = pytest.mark.usefixtures("apache_kafka")
CLAIM = {"claim": RIGHT, "support": "supported", "chunk": "c1", "quote": "Refunds are made within 30 days"}
VERDICT = {
    "claims": [CLAIM | {"conflict": None}],
    "relevance": [{"chunk": "c1", "score": 1.0}],
    "answer": {"relevancy": 1.0, "abstained": False},
}


def order_of(prompt: dict[str, Any]) -> int:
    found = re.search(r"order (\d+)", orjson.dumps(prompt).decode())
    assert found
    return int(found[1])


async def send(several: Fleet) -> None:
    """Each trace in two messages, with those of others in between."""
    began = time.monotonic()
    for number in range(1, TRACES + BEHIND + 1):
        for trace, parts in ((number, "retrieval"), (number - BEHIND, "root")):
            if 1 <= trace <= TRACES:
                key = trace.to_bytes(16, "big").hex().encode()
                await several.topics.producer.send(several.streams.spans_topic, spans_of(trace, parts=parts), key=key)
        await asyncio.sleep(max(0.0, began + number / PER_S - time.monotonic()))


async def test_059_whatever_members_join_and_leave_every_trace_has_one_verdict_for_one_call(kafka: Broker) -> None:
    stub = OpenAIStub(StubReply(completion(orjson.dumps(VERDICT).decode()).body, delay_s=ANSWER_S))
    async with stub, fleet(kafka) as several, AsyncExitStack() as stack:
        llm = OpenAISettings(type="openai", name="llm", base_url=stub.base_url, model="stub", api_key_env=None)
        quick = several.streams.receiver().model_copy(update={"session_timeout_s": 6.0})
        rest = {"judges": (JudgeConfig(judge=llm),), "receivers": ReceiversConfig(grpc=None, http=None, kafka=quick)}
        stays = await stack.enter_async_context(several.running(Role.EVALUATE, **rest))
        sending = asyncio.create_task(send(several))
        while not sending.done():
            async with several.running(Role.EVALUATE, **rest):
                await asyncio.sleep(SWAP_S)
            await asyncio.sleep(SWAP_S)
        await until(lambda: len(set(map(order_of, stub.requests))) == TRACES, 20)
        await until(lambda: stays.kafka and not stays._pipeline.in_hand, 10)
        assert stays._assembler.open_traces == 0
        assert value(stays, "groundwatch_kafka_rebalances_total") >= 5
        written = await several.topics.all_of(several.streams.evaluations_topic)
        verdicts = [load_assessment(message.value) for message in written if not message.headers]
        assert set(Counter(one.sample.trace_id for one in verdicts).values()) == {1}
        assert len(verdicts) == TRACES
        assert all(isinstance(one.outcome("faithfulness"), Scored) for one in verdicts)
        assert set(Counter(map(order_of, stub.requests)).values()) == {1}


async def test_059_a_commit_that_the_group_no_longer_takes_is_counted_and_survived(
    kafka: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    async with topics_on(kafka.address) as topics:
        topic, group = await topics.create(partitions=2), unique("group")
        late = {"session_timeout_s": 1.5, "commit_interval_s": 60.0}
        async with member(kafka.address, topic, group, judges=False, **late) as one:
            await topics.send_traces(topic, range(1, 6), partitions=2)
            await until(lambda: len(one.asked) == 5, 20)
            one.judge()
            time.sleep(3.0)  # noqa: ASYNC251  the process stands still, and the group counts it as gone
            await one.receiver._group.commit()
            assert one.value('kafka_commits_total{outcome="failed"}') >= 1
            assert "offsets were not committed: CommitFailedError" in caplog.text
            one.judges = True
            await topics.send_traces(topic, range(6, 11), partitions=2)
            await until(lambda: set(one.judged) == set(range(1, 11)), 30)
