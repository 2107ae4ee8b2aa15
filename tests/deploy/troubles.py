"""What goes wrong between roles that meet in Kafka, made to happen."""

import asyncio
import secrets
import signal
from collections.abc import Iterable

from deploy.pictures.source import Prometheus
from tests.deploy.answers import values
from tests.deploy.kafka_stack import LATER, KafkaStack
from tests.deploy.replay import post
from tests.deploy.scaled import TOPICS
from tests.deploy.stack import wait_for
from tests.kafka.topics import Topics, spans_of

HELD, MORE = 2_700, 600
"""Traces: each of two workers holds a thousand, and what was open when it had so many; then it takes no more."""

PATIENCE_S = 30.0

_ALL_HAS_THE_OTHER = f'sum(groundwatch_kafka_partitions{{instance="groundwatch-evaluate-2"}}) == {TOPICS["otlp_spans"]}'


class Troubles:
    """Each method returns once Prometheus has seen what it is about."""

    def __init__(self, running: KafkaStack, topics: Topics) -> None:
        self._running = running
        self._topics = topics
        self._prometheus = Prometheus(running.prometheus)
        self._spans = running.scaled.topics["otlp_spans"]

    async def bad_messages(self, number: int) -> None:
        """One without a key, one that nobody can decode and that stops its partition, one among evaluations; and a
        trace (`number`) that is larger than a broker takes.
        """
        # What is counted before the first scrape no rate will show.
        await self._seen(f"count(groundwatch_build_info) == {len(self._running.scaled.everyone)}")
        await self._topics.send(self._spans, spans_of(number), partition=2, key=None)
        await self._topics.send(self._spans, b"<html>", partition=1)
        await self._topics.send(self._running.scaled.topics["groundwatch_evaluations"], b"{")
        large = spans_of(number + 1, answer=secrets.token_hex(3 << 20))
        assert await asyncio.to_thread(post, self._running.scaled.front.http, large) == 413
        await self._seen('groundwatch_kafka_partitions{state="stopped"}', "groundwatch_kafka_unkeyed_messages_total")

    async def slow_judge(self, first: int) -> None:
        """More traces, numbered from `first`, than workers hold while the model thinks."""
        self._running.model.delay_s = 2.0
        await self._send(range(first, first + HELD))
        await self._seen(f"sum(groundwatch_kafka_uncommitted_messages) > {HELD * 0.8}")
        await self._send(range(first + HELD, first + HELD + MORE))
        await self._seen(
            'groundwatch_kafka_partitions{state="paused"}',
            *(f"groundwatch_kafka_{name}" for name in ("lag_messages", "watermark_age_seconds")),
        )

    async def dead_letters(self) -> None:
        """There is a topic for what nobody can decode."""
        await self._topics.make(self._running.scaled.topics[LATER], int(TOPICS[LATER]))
        await self._seen('groundwatch_kafka_messages_total{outcome="dead_letter"}')

    async def lost_worker(self) -> None:
        """One says nothing until another has done with its partitions, then comes back; and messages that nobody has
        read are deleted.
        """
        worker, model = self._running.scaled.workers[0].process, self._running.model
        end = await self._topics.send(self._spans, None)
        await self._topics.delete_before(self._spans, end)
        worker.send_signal(signal.SIGSTOP)
        try:
            await self._seen(_ALL_HAS_THE_OTHER, "groundwatch_kafka_offset_resets_total")
            model.delay_s = 0.0
            await self._no_lag()
        finally:
            # What it still holds is not to be judged before it learns that others have done so.
            model.delay_s = 2.0
            worker.send_signal(signal.SIGCONT)
        await self._seen("groundwatch_kafka_traces_handed_back_total")

    async def mend(self) -> None:
        """The model is quick again."""
        self._running.model.delay_s = 0.0
        await self._no_lag()

    async def _no_lag(self) -> None:
        await wait_for(
            lambda: not any(values(self._prometheus, "groundwatch_kafka_lag_messages")), PATIENCE_S, "no lag"
        )

    async def _send(self, numbers: range) -> None:
        await self._topics.send_traces(self._spans, numbers, partitions=int(TOPICS["otlp_spans"]))

    async def _seen(self, *series: str) -> None:
        for one in series:
            await wait_for(lambda one=one: any(values(self._prometheus, one)), PATIENCE_S, one)


def never_above_zero(prometheus: Prometheus, expressions: Iterable[str]) -> list[str]:
    """Those that showed nothing but 0 within the last minutes."""
    return [expr for expr in expressions if not any(value > 0 for value in values(prometheus, _highest(expr)))]


def _highest(expr: str) -> str:
    return f"max_over_time(({expr})[5m:1s])"
