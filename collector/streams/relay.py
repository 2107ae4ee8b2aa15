"""Evaluations into a topic, keyed by service."""

import asyncio
import contextlib
import logging
import secrets
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import orjson
from aiokafka.errors import MessageSizeTooLargeError

from collector.receivers.kafka_messages import KIND
from collector.streams.metrics import StreamMetrics
from collector.streams.settings import StreamSettings
from collector.streams.writer import Writer
from evaluators.assessment_codec import dump_assessment
from evaluators.errors import RetryableError
from evaluators.evaluation import Assessment

log = logging.getLogger(__name__)

MAX_PENDING = 50_000
ROOM = 2_000
"""With more than this on its way, traces that can wait do."""

RETRY_S = 1.0
STATE_S = 15.0
JUDGE_STATE = b"judge_state"

_Item = tuple[Assessment, Callable[[], None]]


class EvaluationRelay:
    """Writes verdicts in the order in which they came, those that failed once more at the end; `done` is called once a
    broker has them.

    What cannot be written is kept and tried again. Beyond a bound the oldest is dropped and counted, and its `done`
    never called: who brought the trace brings it again.
    """

    def __init__(self, settings: StreamSettings, writer: Writer, metrics: StreamMetrics) -> None:
        self._topic = settings.evaluations_topic
        self._writer = writer
        self._metrics = metrics
        self._waiting: deque[_Item] = deque()
        self._sent = 0
        self._filled = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._worker = secrets.token_hex(8)
        self._states: dict[str, tuple[str, float]] = {}
        metrics.expect(self._topic)

    def __len__(self) -> int:
        return len(self._waiting) + self._sent

    @property
    def has_room(self) -> bool:
        """Whether what is written keeps up."""
        return len(self) < ROOM

    def put(self, assessment: Assessment, done: Callable[[], None]) -> None:
        """Take a verdict; never waits."""
        self._waiting.append((assessment, done))
        if len(self._waiting) > MAX_PENDING:
            self._waiting.popleft()
            self._metrics.message(self._topic, "dropped")
        self._metrics.pending(self._topic, len(self))
        self._idle.clear()
        self._filled.set()

    async def run(self) -> None:
        """Write what comes; runs until cancelled."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            while self._waiting:
                try:
                    await self._send_next()
                except RetryableError:
                    await asyncio.sleep(RETRY_S)

    async def flush(self, deadline_s: float) -> None:
        """Wait until all is written, at most until the deadline."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(deadline_s):
                await self._idle.wait()

    async def judge_state(self, judge: str, state: str, now: float) -> None:
        """Tell every alerting process how a judge does, when it changes and from time to time."""
        known, told_at = self._states.get(judge, ("", 0.0))
        if known == state and now - told_at < STATE_S:
            return
        value = orjson.dumps({"worker": self._worker, "judge": judge, "state": state})
        try:
            for partition in await self._writer.partitions(self._topic):
                await self._writer.send(self._topic, value, partition=partition, headers=[(KIND, JUDGE_STATE)])
        except RetryableError:
            return
        self._states[judge] = (state, now)

    async def _send_next(self) -> None:
        item = self._waiting.popleft()
        self._sent += 1
        assessment, done = item
        try:
            value = dump_assessment(assessment)
            future = await self._writer.send(self._topic, value, key=assessment.sample.service.encode())
        except RetryableError:
            self._sent -= 1
            self._waiting.appendleft(item)
            raise
        except TypeError:
            self._sent -= 1
            self._drop(done, "it holds text that is not valid Unicode")
        except MessageSizeTooLargeError:
            self._sent -= 1
            self._drop(done, "it is larger than a message may be")
        else:
            future.add_done_callback(partial(self._written, item))

    def _written(self, item: _Item, future: "asyncio.Future[Any]") -> None:
        self._sent -= 1
        if not future.cancelled() and isinstance(future.exception(), MessageSizeTooLargeError):
            self._drop(item[1], f"raise max.message.bytes of the topic {self._topic}: it is larger")
            return
        if future.cancelled() or future.exception() is not None:
            self._metrics.message(self._topic, "failed")
            self._waiting.append(item)
            self._filled.set()
            return
        self._metrics.message(self._topic, "written")
        self._end(item[1])

    def _drop(self, done: Callable[[], None], reason: str) -> None:
        """Another attempt would fail, too."""
        log.warning("a verdict is not handed on: %s", reason)
        self._metrics.message(self._topic, "dropped")
        self._end(done)

    def _end(self, done: Callable[[], None]) -> None:
        self._metrics.pending(self._topic, len(self))
        if not len(self):
            self._idle.set()
        done()
