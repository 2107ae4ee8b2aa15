"""Evaluations out of a topic, for the process that watches them.

Nothing is committed. A process that starts, or gets other partitions, reads again as much as its rules remember, each
verdict at the time at which it was written, and what was told of alerts meanwhile; it decides only after that.
"""

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Mapping
from typing import Protocol

import orjson
from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError, NoOffsetForPartitionError, OffsetOutOfRangeError

from alerts.outbox_store import Kept
from collector.receivers.kafka_client import build_consumer
from collector.receivers.kafka_messages import KIND
from collector.streams.alert_states import ALERT_STATE, AlertStates
from collector.streams.clock import EventClock
from collector.streams.metrics import StreamMetrics
from collector.streams.relay import JUDGE_STATE
from collector.streams.settings import StreamSettings
from evaluators.assessment_codec import load_assessment
from evaluators.evaluation import Assessment
from evaluators.retry import Backoff

log = logging.getLogger(__name__)

POLL_MS = 200
MAX_MESSAGES = 500
SETTLE_S = 5.0
FRESH_S = 45.0
"""The word of a worker on its judge counts for so long."""

_WORST = ("closed", "half_open", "open")


class Watcher(Protocol):
    """Who watches the verdicts.

    `pause` decides a last time and returns when what was due is told. `restart` forgets all verdicts: they come again;
    once they have, `adopt` is called with what others have told of alerts.
    """

    async def pause(self) -> None: ...

    async def restart(self) -> None: ...

    def adopt(self, states: Iterable[tuple[str, Kept]]) -> None: ...

    def observe(self, assessment: Assessment) -> None: ...

    def judge_state(self, judge: str, state: str) -> None: ...


class EvaluationReader(ConsumerRebalanceListener):  # type: ignore[misc]
    """`caught_up` says whether rules may decide."""

    def __init__(
        self,
        settings: StreamSettings,
        watcher: Watcher,
        states: AlertStates,
        clock: EventClock,
        metrics: StreamMetrics,
        remembers_s: float,
    ) -> None:
        self._topic = settings.evaluations_topic
        self._settings = settings.alert_reader()
        self._watcher = watcher
        self._alerts = states
        self._clock = clock
        self._metrics = metrics
        self._remembers_s = remembers_s
        self._consumer: AIOKafkaConsumer | None = None
        self._ends: dict[TopicPartition, int] = {}
        self._replaying: set[TopicPartition] | None = None
        self._states: dict[str, dict[str, tuple[str, float]]] = {}
        self._failure: Exception | None = None
        self.connected = False
        self.caught_up = False
        metrics.expect(self._topic)

    async def run(self) -> None:
        """Read until cancelled; after a failure again, with backoff."""
        backoff, failures = Backoff(), 0
        while True:
            try:
                await self._connect()
                failures = 0
                await self._read()
            except (KafkaError, OSError, TimeoutError) as error:
                failures += 1
                if failures == 1:
                    log.warning("evaluations cannot be read: %s; trying again", type(error).__name__)
            finally:
                self.connected = False
                await self._hand_over()
                await self._disconnect()
            await asyncio.sleep(backoff.delay(failures, None, lambda: 0.5))

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Nothing is decided until it is clear what is ours."""
        await self._hand_over()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Read again what the rules remember of what is ours now."""
        try:
            await self._begin(list(assigned))
        except Exception as error:  # aiokafka would log it and go on with partitions that nobody reads
            self._failure = error

    async def _hand_over(self) -> None:
        """Whoever gets our partitions is to know what was told by then."""
        decided, self.caught_up, self._replaying = self.caught_up, False, None
        if decided:
            await self._watcher.pause()
            await self._alerts.settle(SETTLE_S)

    async def _begin(self, assigned: list[TopicPartition]) -> None:
        self.caught_up, self._replaying = False, None
        consumer = self._own()
        since = int((self._clock.wall() + self._clock.behind_s - self._remembers_s) * 1000)
        found = await consumer.offsets_for_times(dict.fromkeys(assigned, since)) if assigned else {}
        self._ends = await consumer.end_offsets(assigned) if assigned else {}
        await self._watcher.restart()
        # Only here: what was being told until then is noted for the partitions of that time, and forgotten.
        self._alerts.begin(consumer.partitions_for_topic(self._topic) or (), {key.partition for key in assigned})
        starts = {key: found[key].offset if found.get(key) else self._ends[key] for key in assigned}
        for key, start in starts.items():
            consumer.seek(key, start)
        self._replaying = {key for key, start in starts.items() if start < self._ends[key]}
        self._tell_progress()

    async def _connect(self) -> None:
        self._failure = None
        self._consumer = build_consumer(self._settings, self)
        await self._consumer.start()
        self.connected = True
        log.info("reading evaluations from %s", self._topic)

    async def _disconnect(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            with contextlib.suppress(KafkaError, OSError):
                await consumer.stop()

    def _own(self) -> AIOKafkaConsumer:
        if self._consumer is None:
            raise RuntimeError("no consumer")
        return self._consumer

    async def _read(self) -> None:
        consumer = self._own()
        while True:
            if self._failure is not None:
                raise self._failure
            try:
                fetched = await consumer.getmany(timeout_ms=POLL_MS, max_records=MAX_MESSAGES)
            except NoOffsetForPartitionError:
                continue  # the assignment is about to say where to begin
            except OffsetOutOfRangeError:
                await self._begin(list(self._ends))
                continue
            for key, messages in fetched.items():
                for message in messages:
                    self._take(message)
                if self._replaying and messages and messages[-1].offset + 1 >= self._ends.get(key, 0):
                    self._replaying.discard(key)
            self._tell_progress()

    def _tell_progress(self) -> None:
        if self._replaying is None:
            return  # what is ours is being dealt out
        self._metrics.behind(self._topic, len(self._replaying))
        if not self._replaying and not self.caught_up:
            self._watcher.adopt(self._alerts.recovered())
            self.caught_up = True

    def _take(self, message: ConsumerRecord) -> None:
        now = self._clock.wall() + self._clock.behind_s
        self._clock.behind_s = max(0.0, now - message.timestamp / 1000) if self._replaying else 0.0
        try:
            match dict(message.headers).get(KIND):
                case kind if kind == JUDGE_STATE:
                    self._take_state(orjson.loads(message.value))
                case kind if kind == ALERT_STATE:
                    self._take_alert(message)
                case _:
                    self._watcher.observe(load_assessment(message.value))
        except (ValueError, KeyError, TypeError):
            self._metrics.message(self._topic, "malformed")
        else:
            self._metrics.message(self._topic, "read")
        finally:
            self._clock.behind_s = 0.0

    def _take_alert(self, message: ConsumerRecord) -> None:
        """What comes later than the end that was read to is our own word, or of one who has no say any more."""
        if not self.caught_up:
            self._alerts.take(message)

    def _take_state(self, told: Mapping[str, str]) -> None:
        """A judge is as well as the worker tells that has the most trouble with it."""
        judge, state, now = told["judge"], told["state"], self._clock.monotonic()
        if state not in _WORST:
            raise ValueError(f"a judge has no state {state!r}")
        states = self._states.setdefault(judge, {})
        states[told["worker"]] = (state, now)
        fresh = {worker: one for worker, one in states.items() if now - one[1] < FRESH_S}
        self._states[judge] = fresh
        self._watcher.judge_state(judge, max((one for one, _ in fresh.values()), key=_WORST.index))
