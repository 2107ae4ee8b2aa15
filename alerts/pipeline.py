"""From the engine to the notifiers: one outbox each, so that no receiver waits for another; retry with backoff."""

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from typing import Protocol

from alerts.notifiers.base import Notifier
from alerts.outbox import Keeper, Outbox
from alerts.outbox_file import OutboxFile
from alerts.outbox_store import Kept, OutboxStore
from alerts.signals import Signal
from evaluators.clock import Clock
from evaluators.errors import PermanentError, RetryableError

log = logging.getLogger(__name__)

FIRST_BACKOFF_S = 1.0
MAX_BACKOFF_S = 60.0
MAX_RETRY_AFTER_S = 300.0

OUTCOMES = ("delivered", "retried", "rejected", "gave_up", "dropped")


class NotificationMetrics(Protocol):
    """Where outcomes are counted."""

    def expect_notifier(self, notifier: str, outcomes: Sequence[str]) -> None: ...

    def notification(self, notifier: str, outcome: str, count: int) -> None: ...

    def notifications_pending(self, notifier: str, count: int) -> None: ...


def backoff(attempt: int, retry_after: float | None, chance: float) -> float:
    """Seconds to wait after the failed `attempt` (from 1): exponential; `chance` in 0..1 spreads its upper half.

    Never less than the receiver asked for, which in turn is believed up to five minutes.
    """
    ceiling = min(MAX_BACKOFF_S, FIRST_BACKOFF_S * 2.0 ** min(attempt - 1, 16))
    return max(ceiling * (0.5 + chance / 2), min(retry_after or 0.0, MAX_RETRY_AFTER_S))


class Outlet:
    """One notifier with its outbox. At most one send at a time."""

    def __init__(
        self,
        notifier: Notifier,
        metrics: NotificationMetrics,
        clock: Clock,
        chance: Callable[[], float],
        store: OutboxStore,
    ) -> None:
        self.notifier = notifier
        self.outbox = Outbox(notifier.policy, keeper=Keeper(store, notifier.name, clock))
        self._metrics = metrics
        self._clock = clock
        self._chance = chance
        self._failures = 0
        self._not_before = 0.0
        self._task: asyncio.Task[None] | None = None
        metrics.expect_notifier(notifier.name, OUTCOMES)

    @property
    def healthy(self) -> bool:
        """Whether the last send succeeded, or none was needed."""
        return self._failures == 0

    def put(self, signal: Signal, now: float) -> None:
        """Take a signal; never waits."""
        if not self.outbox.put(signal, now):
            self._count("dropped", 1)

    def tick(self, now: float) -> None:
        """Start sending what is due, unless a send is under way or the receiver asked for patience."""
        self._metrics.notifications_pending(self.notifier.name, self.outbox.undelivered)
        if self._task or now < self._not_before:
            return
        if batch := self._next(now):
            self._task = asyncio.create_task(self._drain(batch), name=f"notify {self.notifier.name}")
            self._task.add_done_callback(self._done)

    async def idle(self) -> None:
        """Wait until the send under way, if any, is over."""
        if self._task:
            await asyncio.wait({self._task})

    async def stop(self, deadline_s: float) -> int:
        """One last attempt, at most until the deadline; how many alerts were not delivered."""
        self._not_before = 0.0
        self.tick(self._clock.monotonic())
        if self._task and not (await asyncio.wait({self._task}, timeout=deadline_s))[0]:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self.notifier.aclose()
        return self.outbox.undelivered

    async def abandon(self) -> None:
        """Close without telling anything more: others have the alerts now."""
        if self._task:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self.notifier.aclose()

    def _next(self, now: float) -> list[Signal]:
        batch, given_up = self.outbox.due(now)
        if given_up:
            self._count("gave_up", given_up)
        self._metrics.notifications_pending(self.notifier.name, self.outbox.undelivered)
        return batch

    async def _drain(self, batch: list[Signal]) -> None:
        while batch and await self._send(batch):
            batch = self._next(self._clock.monotonic())

    async def _send(self, batch: list[Signal]) -> bool:
        """True: go on with what else is due."""
        try:
            async with asyncio.timeout(self.notifier.timeout_s):
                await self.notifier.send(batch)
        except PermanentError as error:
            return self._refused(batch, error)
        except RetryableError as error:
            return self._failed(batch, error, error.retry_after)
        except TimeoutError:
            return self._failed(batch, f"no answer within {self.notifier.timeout_s:g} s", None)
        except Exception as error:
            # A notifier's own bug. Its text may quote what it was sending, so only its type is told.
            return self._failed(batch, type(error).__name__, None)
        self._delivered(batch)
        return True

    def _delivered(self, batch: list[Signal]) -> None:
        if self._failures:
            log.info("notifier %s works again", self.notifier.name)
        self._failures = 0
        self.outbox.sent(batch, self._clock.monotonic())
        self._count("delivered", len(batch))

    def _refused(self, batch: list[Signal], error: PermanentError) -> bool:
        log.warning("notifier %s: refused for good: %s", self.notifier.name, error)
        self.outbox.sent(batch, self._clock.monotonic())
        self._count("rejected", len(batch))
        return True

    def _failed(self, batch: list[Signal], error: object, retry_after: float | None) -> bool:
        self._failures += 1
        if self._failures == 1:
            log.warning("notifier %s: %s; trying again", self.notifier.name, error)
        wait = backoff(self._failures, retry_after, self._chance())
        self._not_before = self._clock.monotonic() + wait
        self._count("retried", len(batch))
        return False

    def _count(self, outcome: str, count: int) -> None:
        self._metrics.notification(self.notifier.name, outcome, count)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled() and (error := task.exception()):
            log.error("notifier %s: sending stopped: %s", self.notifier.name, type(error).__name__)


class NotificationPipeline:
    """All outlets. Everyone gets every signal."""

    def __init__(
        self,
        notifiers: Sequence[Notifier],
        metrics: NotificationMetrics,
        clock: Clock,
        store: OutboxStore | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._store = store or OutboxFile(None)
        self._store.forget_others(notifier.name for notifier in notifiers)
        self._outlets = [Outlet(notifier, metrics, clock, chance, self._store) for notifier in notifiers]

    @property
    def lasting(self) -> list[Signal]:
        """The alerts that are raised as far as any notifier knows, also those of an earlier process."""
        found = {signal.fingerprint: signal for outlet in self._outlets for signal in outlet.outbox.firing}
        return list(found.values())

    @property
    def degraded(self) -> str | None:
        """Why notifications would not survive a restart, None where they would or need not."""
        return self._store.degraded

    @property
    def health(self) -> dict[str, bool]:
        """Whether each notifier could hand over what it had."""
        return {outlet.notifier.name: outlet.healthy for outlet in self._outlets}

    def publish(self, signal: Signal, now: float) -> None:
        """The latest state of an alert; never waits."""
        for outlet in self._outlets:
            outlet.put(signal, now)

    def adopt(self, notifier: str, kept: Kept) -> None:
        """Go on with what another process has told a notifier; one that is not configured here is told nothing."""
        for outlet in self._outlets:
            if outlet.notifier.name == notifier:
                outlet.outbox.adopt(kept)

    async def abandon(self) -> None:
        """Close without telling anything more."""
        await asyncio.gather(*(outlet.abandon() for outlet in self._outlets))

    def tick(self, now: float) -> None:
        """Start the sends that are due. Call it about once a second."""
        self._store.flush()
        for outlet in self._outlets:
            outlet.tick(now)

    async def idle(self) -> None:
        """Wait for the sends under way."""
        await asyncio.gather(*(outlet.idle() for outlet in self._outlets))

    async def stop(self, deadline_s: float) -> dict[str, int]:
        """Hand over what is due, at most until the deadline, and close the notifiers.

        How many alerts were not delivered, by each notifier that has such.
        """
        self._store.flush()
        counts = await asyncio.gather(*(outlet.stop(deadline_s) for outlet in self._outlets))
        self._store.close()
        left = {outlet.notifier.name: count for outlet, count in zip(self._outlets, counts, strict=True) if count}
        if left:
            told = ", ".join(f"{name} {count}" for name, count in left.items())
            log.warning("alerts that were not delivered: %s; %s", told, self._store.fate)
        return left
