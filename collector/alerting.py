"""The alert engine of a process, and what a process of role alert does with what the others tell it."""

import asyncio
import contextlib
from collections.abc import Iterable
from typing import Protocol

from alerts.exposition import Metrics
from alerts.monitor import AlertEngine
from alerts.notifiers.registry import build_notifiers
from alerts.outbox_store import Kept, OutboxStore
from alerts.settings import AlertSettings
from alerts.store import VerdictStore
from collector.roles import Role
from evaluators.clock import Clock
from evaluators.evaluation import Assessment

NOTIFY_S = 5.0


class Outbox(OutboxStore, Protocol):
    """An outbox that several processes share; `tells` says whether this one tells alerts of a service."""

    def tells(self, service: str) -> bool: ...


class Alerting:
    """`engine` is there once `begin` was called.

    With a shared outbox alerts move with their services from process to process: told once, and resolved by whoever
    has them then.
    """

    engine: AlertEngine

    def __init__(
        self, settings: AlertSettings, role: Role, metrics: Metrics, store: VerdictStore, clock: Clock
    ) -> None:
        self._settings = settings if role.alerts else AlertSettings(default_rules=False, notifiers=())
        self._metrics = metrics
        self._store = store
        self._clock = clock
        self._shared: Outbox | None = None

    def begin(self, shared: Outbox | None) -> None:
        """Build the engine."""
        self._shared = shared
        self.engine = self._build()

    async def stop(self, deadline_s: float) -> None:
        """Tell what is due; with a shared outbox that was done before others got the services."""
        if self._shared is None:
            await self.engine.stop(deadline_s)
        else:
            await self.engine.abandon()

    async def pause(self) -> None:
        """Decide a last time, and let what is due be told."""
        self.engine.tick()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(NOTIFY_S):
                await self.engine.idle()

    async def restart(self) -> None:
        """Forget what was observed: other partitions, and with them other services, are ours now."""
        await self.engine.abandon()
        self.engine = self._build()

    def adopt(self, states: Iterable[tuple[str, Kept]]) -> None:
        """All that rules remember was observed: go on with the alerts that others have told."""
        self.engine.adopt(states)

    def observe(self, assessment: Assessment) -> None:
        """A verdict of an evaluating process."""
        self._store.record(assessment)
        self.engine.observe(assessment)

    def judge_state(self, judge: str, state: str) -> None:
        """How an evaluating process finds a judge."""
        self.engine.judge_state(judge, state)

    def _build(self) -> AlertEngine:
        settings, shared = self._settings, self._shared
        notifiers = build_notifiers(settings.notifiers, self._clock)
        parts = (settings.active_rules, notifiers, self._metrics, self._store, self._clock, settings)
        return AlertEngine(*parts) if shared is None else AlertEngine(*parts, shared, shared.tells)
