"""What has been told of alerts, in the topic of evaluations: the outbox of processes that share services.

An alert lies in the partition of its service. Whoever gets that partition reads what others have told, and goes on.
"""

import asyncio
import contextlib
import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from aiokafka import ConsumerRecord
from aiokafka.errors import KafkaError, MessageSizeTooLargeError
from aiokafka.partitioner import DefaultPartitioner
from pydantic import TypeAdapter

from alerts.outbox_store import Kept
from collector.receivers.kafka_messages import KIND
from collector.streams.metrics import StreamMetrics
from collector.streams.settings import StreamSettings
from collector.streams.writer import Writer
from evaluators.clock import Clock
from evaluators.errors import RetryableError

log = logging.getLogger(__name__)

ALERT_STATE = b"alert_state"
WRITE_S = 1.0
MAX_REFRESH_S = 900.0
MAX_WAITING = 20_000


@dataclass(frozen=True, slots=True)
class AlertState:
    """What a notifier knows of an alert of a service; `kept` is None once it is settled."""

    notifier: str
    fingerprint: str
    service: str
    kept: Kept | None


_STATE = TypeAdapter(AlertState)
_Key = tuple[str, str]


class AlertStates:
    """An OutboxStore. States are written anew from time to time, so that who looks back as far as rules do finds them.

    `run` writes what was kept. What has been read is taken over with `recovered`.
    """

    def __init__(
        self, settings: StreamSettings, writer: Writer, metrics: StreamMetrics, clock: Clock, remembers_s: float
    ) -> None:
        self._topic = settings.evaluations_topic
        self._writer = writer
        self._metrics = metrics
        self._clock = clock
        self._refresh_s = min(MAX_REFRESH_S, max(WRITE_S, remembers_s / 3))
        self._partitions: list[int] = []
        self._own: frozenset[int] = frozenset()
        self._states: dict[_Key, AlertState] = {}
        self._waiting: dict[_Key, AlertState] = {}
        self._written_at: dict[_Key, float] = {}
        self._read: dict[_Key, AlertState] = {}
        self._writing = asyncio.Lock()
        self.degraded: str | None = None

    @property
    def fate(self) -> str:
        """What becomes of notifications that are left when the process ends, in words."""
        return (
            f"they are lost: {self.degraded}" if self.degraded else f"{self._topic} keeps them for whoever comes next"
        )

    def begin(self, partitions: Iterable[int], own: Collection[int]) -> None:
        """Start anew with other partitions of the topic."""
        self._partitions, self._own = sorted(partitions), frozenset(own)
        for known in (self._states, self._waiting, self._written_at, self._read):
            known.clear()

    def tells(self, service: str) -> bool:
        """Whether to tell alerts of a service that is observed here; what concerns none ("") one process tells."""
        return bool(service) or self._partition_of("") in self._own

    def load(self, notifier: str) -> list[Kept]:
        """Nothing yet: it is read before rules decide."""
        return []

    def forget_others(self, notifiers: Iterable[str]) -> None:
        """Nothing to do: what no notifier asks for is not written anew and goes with the topic's retention."""

    def keep(self, notifier: str, fingerprint: str, kept: Kept | None) -> None:
        """Note an alert's state, or with None that it is settled."""
        key = (notifier, fingerprint)
        before = self._states.pop(key, None)
        service = kept.signal.service if kept else before.service if before else ""
        state = AlertState(notifier, fingerprint, service, kept)
        if kept:
            self._states[key] = state
        if key in self._waiting or len(self._waiting) < MAX_WAITING:
            self._waiting[key] = state
        else:
            self._metrics.message(self._topic, "dropped")

    def flush(self) -> None:
        """Writing goes on by itself."""

    def close(self) -> None:
        """Nothing to close; see `settle`."""

    def take(self, message: ConsumerRecord) -> None:
        """A state that was written before. Raises ValueError for what is none."""
        state = _STATE.validate_json(message.value)
        self._read[state.notifier, state.fingerprint] = state

    def recovered(self) -> list[tuple[str, Kept]]:
        """What notifiers know of alerts that are not settled, by all that was read."""
        read, self._read = self._read, {}
        self._states.update((key, state) for key, state in read.items() if state.kept)
        return [(state.notifier, state.kept) for state in read.values() if state.kept]

    async def run(self) -> None:
        """Write what is due; runs until cancelled."""
        while True:
            await asyncio.sleep(WRITE_S)
            await self._write()

    async def settle(self, deadline_s: float) -> None:
        """Write what is waiting, at most until the deadline."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(deadline_s):
                await self._write()

    async def _write(self) -> None:
        async with self._writing:
            now = self._clock.monotonic()
            due = {key: one for key, one in self._states.items() if now - self._last(key, now) >= self._refresh_s}
            due |= self._waiting
            if not due or not self._partitions:
                return
            results = await asyncio.gather(*map(self._send, due.values()), return_exceptions=True)
            reason = None
            for key, result in zip(due, results, strict=True):
                if result is None or isinstance(result, MessageSizeTooLargeError):
                    self._metrics.message(self._topic, "dropped" if result else "written")
                    self._note_written(key, due[key], now)
                elif isinstance(result, KafkaError | RetryableError):
                    reason = f"{self._topic} does not take them: {type(result).__name__}"
                else:
                    raise result
            self._degrade(reason)

    def _last(self, key: _Key, now: float) -> float:
        return self._written_at.setdefault(key, now)

    def _note_written(self, key: _Key, state: AlertState, now: float) -> None:
        if self._waiting.get(key) is state:
            del self._waiting[key]
        if key in self._states:
            self._written_at[key] = now
        else:
            self._written_at.pop(key, None)

    async def _send(self, state: AlertState) -> None:
        partition = self._partition_of(state.service)
        if partition not in self._own and self._own:
            # A name that was cut or cleaned is no longer the key of its service: it stays with who watches it.
            partition = min(self._own)
        value = _STATE.dump_json(state)
        await (await self._writer.send(self._topic, value, partition=partition, headers=[(KIND, ALERT_STATE)]))

    def _partition_of(self, service: str) -> int:
        if not self._partitions:
            return -1
        key = service.encode("utf-8", "replace")
        found: int = DefaultPartitioner()(key, self._partitions, self._partitions)
        return found

    def _degrade(self, reason: str | None) -> None:
        if reason is not None and self.degraded is None:
            log.warning("other processes would not know what was told of alerts: %s", reason)
        self.degraded = reason
