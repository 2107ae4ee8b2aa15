"""What a process with a role of its own reads from and writes to topics, built, started and stopped in one place."""

from collections.abc import Callable, Coroutine
from typing import Any

from alerts.series import SeriesRegistry
from collector.roles import Role
from collector.spans import SpanSink
from collector.streams.alert_states import AlertStates
from collector.streams.clock import EventClock
from collector.streams.metrics import StreamMetrics
from collector.streams.reader import EvaluationReader, Watcher
from collector.streams.relay import EvaluationRelay
from collector.streams.settings import StreamSettings
from collector.streams.spans import SpanProducer
from collector.streams.writer import Writer


class Streams:
    """`sink` takes spans in role receive, `relay` verdicts in role evaluate.

    Role alert reads verdicts to `watcher`, and shares in `alert_states` what was told.
    """

    def __init__(
        self,
        role: Role,
        settings: StreamSettings,
        series: SeriesRegistry,
        clock: EventClock,
        watcher: Watcher,
        remembers_s: float,
    ) -> None:
        metrics = StreamMetrics(series)
        self._writer = Writer(settings)
        self.sink: SpanSink | None = None
        self.relay: EvaluationRelay | None = None
        self.alert_states: AlertStates | None = None
        self._reader: EvaluationReader | None = None
        if role is Role.RECEIVE:
            self.sink = SpanProducer(settings, self._writer, metrics).take
        elif role is Role.EVALUATE:
            self.relay = EvaluationRelay(settings, self._writer, metrics)
        elif role is Role.ALERT:
            self.alert_states = AlertStates(settings, self._writer, metrics, clock, remembers_s)
            self._reader = EvaluationReader(settings, watcher, self.alert_states, clock, metrics, remembers_s)

    @property
    def connected(self) -> bool:
        """Whether the brokers answer."""
        return self._reader.connected if self._reader else self._writer.connected

    @property
    def caught_up(self) -> bool:
        """Whether rules may decide: what they remember has been read."""
        return self._reader is None or self._reader.caught_up

    def start(self, spawn: Callable[[str, Callable[[], Coroutine[Any, Any, None]]], None]) -> None:
        """Begin; tasks that run for ever go to `spawn`."""
        self._writer.start()
        if self._reader is not None and self.alert_states is not None:
            spawn("read evaluations", self._reader.run)
            spawn("write alert states", self.alert_states.run)
        if self.relay is not None:
            spawn("write evaluations", self.relay.run)

    async def judge_state(self, judge: str, state: str, now: float) -> None:
        """Tell alerting processes how a judge does."""
        if self.relay is not None:
            await self.relay.judge_state(judge, state, now)

    async def flush(self, deadline_s: float) -> None:
        """Wait, not for ever, until all verdicts are written."""
        if self.relay is not None:
            await self.relay.flush(deadline_s)

    async def close(self) -> None:
        """Close the connections."""
        await self._writer.close()
