"""The running monitor: every component built, started and stopped in one place.

Sinks start first and receivers last, so that nothing is taken before there is somewhere to put it; stopping goes the
other way round.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from alerts.application import ApplicationSeries
from alerts.exposition import Metrics
from alerts.monitor import AlertEngine
from alerts.observers import Observers
from alerts.slice_series import SliceSeries
from alerts.store import VerdictStore
from alerts.web import Web
from alerts.writeback.exporter import WriteBack
from collector.alerting import NOTIFY_S, Alerting
from collector.assembler import Assembler
from collector.chunk_stores.registry import build_store
from collector.chunk_stores.resolver import ChunkResolver
from collector.codec import Codec
from collector.config import Config
from collector.conventions.reader import TraceReader
from collector.first_signs import FirstSigns
from collector.garbage import expect_few_cycles
from collector.log_codec import LogCodec
from collector.log_events import LogEvents
from collector.pipeline import Pipeline
from collector.receivers.base import LogPath, Receiver
from collector.receivers.kafka_metrics import KafkaMetrics
from collector.receivers.kafka_optional import build_kafka, build_streams
from collector.receivers.log_metrics import LogMetrics
from collector.receivers.registry import build_receivers
from collector.roles import Role
from collector.route import route_to
from collector.spans import SpanSink
from collector.status import Reason
from collector.stopping import until_told
from collector.streams.clock import EventClock
from evaluators.cache_sqlite import open_cache
from evaluators.clock import Clock, SystemClock
from evaluators.dispatcher import Dispatcher
from evaluators.errors import PermanentError
from evaluators.judges.registry import build_lane
from evaluators.prices import PriceTable
from evaluators.shared_cache import open_shared_cache

if TYPE_CHECKING:
    from collector.receivers.kafka import KafkaReceiver
    from collector.streams.streams import Streams

log = logging.getLogger(__name__)

TICK_S = 0.25
RECEIVER_GRACE_S = 2.0
LOOKUP_S = 5.0
FLUSH_S = 5.0


class Service:
    """One monitor. `start` raises PermanentError where something cannot be had; `stop` drains and never raises."""

    def __init__(self, config: Config, clock: Clock | None = None, role: Role = Role.ALL) -> None:
        self._config = config
        self._role = role
        self._judges = config.judges if role.evaluates else ()
        self._clock = clock or SystemClock()
        self._failure: asyncio.Event = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._ready = False
        self.metrics = Metrics(self._clock)
        self.store = VerdictStore(self._clock)
        self._cache = open_cache(config.cache, self._clock, self.metrics)
        self._shared = open_shared_cache(config.cache.redis, config.cache.ttl_s, self._clock, self.metrics)
        self._event_clock = EventClock(self._clock)
        self._alerting = Alerting(config.alerts, role, self.metrics, self.store, self._event_clock)
        self._streams = self._build_streams()
        self._alerting.begin(self._streams.alert_states if self._streams else None)
        self._assembler = Assembler(config.assembly, self._clock, self.metrics)
        reader = TraceReader(config.operator_rules, config.context)
        prices = PriceTable(config.prices)
        self._lanes = {judge.judge.name: build_lane(judge.judge, judge.lane, prices) for judge in self._judges}
        self._write_back = self._build_write_back()
        relay = self._streams.relay if self._streams else None
        observer = Observers(self.engine, self._write_back) if self._write_back else self.engine
        self._resolver = self._build_resolver()
        self._log_events = LogEvents(self.metrics.series, self._clock) if role.evaluates else None
        self._pipeline = Pipeline(
            self._assembler,
            reader,
            [route_to(judge, self._lanes[judge.judge.name]) for judge in self._judges],
            self.metrics,
            self.store,
            observer,
            relay,
            self._resolver,
            self._log_events,
            FirstSigns(config.pages_url),
            ApplicationSeries(self.metrics.series, prices) if role.evaluates else None,
            SliceSeries(self.metrics.series, config.slices) if role.evaluates else None,
        )
        self._dispatcher = Dispatcher(
            self._lanes, self._cache, self._pipeline.deliver, self.metrics, self._clock, shared=self._shared
        )
        self._pipeline.connect(self._dispatcher)
        self.web = Web(config.web, self.metrics, self.store, self._health, trace_url=config.alerts.links.trace_url)
        codec = Codec(reader.markers)
        self.receivers = self._build_receivers(codec)
        self.kafka = self._build_kafka(codec)
        self._expect_series()
        self.metrics.watch_open_traces(lambda: self._assembler.open_traces, lambda: self._assembler.open_bytes)

    async def start(self) -> None:
        """Start everything; where one part cannot start, the others are stopped again."""
        try:
            await self._dispatcher.start()
            if self._resolver:
                await self._resolver.start()
            await self.web.start()
            self._spawn("read traces", self._pipeline.run)
            self._spawn("tick", self._tick)
            if self._streams:
                self._streams.start(self._spawn)
            for name, receiver in self.receivers.items():
                await receiver.start()
                log.info("OTLP/%s on port %d", name, receiver.port)
            if self.kafka:
                await self.kafka.start()
        except BaseException:
            await self.stop(0.0)
            raise
        self._ready = True
        expect_few_cycles()

    async def run(self) -> bool:
        """Work until SIGTERM or SIGINT (False), or until a part that must run has ended by itself (True)."""
        await until_told(self._failure)
        return self._failure.is_set()

    async def stop(self, deadline_s: float | None = None) -> int:
        """Stop taking, finish what is in flight until the deadline, tell what is due; how many verdicts were left."""
        self._ready = False
        deadline_s = self._config.drain_s if deadline_s is None else deadline_s
        ends_at = self._clock.monotonic() + deadline_s
        grace = min(RECEIVER_GRACE_S, deadline_s)
        await asyncio.gather(*(receiver.stop(grace) for receiver in self.receivers.values()))
        if self.kafka:
            await self.kafka.stop()
        left = await self._pipeline.drain(self._until(ends_at))
        if self._resolver:
            await self._resolver.drain(min(LOOKUP_S, self._until(ends_at)))
        left += await self._dispatcher.drain(self._until(ends_at))
        if self._streams:
            await self._streams.flush(min(FLUSH_S, deadline_s))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._dispatcher.stop()
        if self._resolver:
            await self._resolver.close()
        if self.kafka:
            await self.kafka.close()
        if self._streams:
            await self._streams.close()
        if self._decides:
            self.engine.tick()
        await self._alerting.stop(min(NOTIFY_S, deadline_s))
        if self._write_back:
            await asyncio.to_thread(self._write_back.stop, min(NOTIFY_S, deadline_s))
        await self.web.stop()
        self._cache.close()
        if self._shared is not None:
            await self._shared.aclose()
        return left

    def _until(self, moment: float) -> float:
        return max(0.0, moment - self._clock.monotonic())

    def _build_write_back(self) -> WriteBack | None:
        settings = self._config.write_back if self._role.evaluates else None
        return WriteBack(settings, self._config.alerts.content, self.metrics, self._clock) if settings else None

    def _build_resolver(self) -> ChunkResolver | None:
        settings = self._config.chunk_store if self._role.evaluates else None
        if settings is None:
            return None
        return ChunkResolver(build_store(settings), settings, self.metrics.series, self._clock)

    @property
    def engine(self) -> AlertEngine:
        """The alert engine; a process of role alert gets another one with other partitions."""
        return self._alerting.engine

    @property
    def _decides(self) -> bool:
        return self._streams is None or self._streams.caught_up

    def _build_streams(self) -> "Streams | None":
        if self._role is Role.ALL:
            return None
        settings = self._config.streams
        if settings is None:
            raise PermanentError(f"streams: role {self._role} meets the others in Kafka: set streams")
        remembers = max((rule.remembers for rule in self._config.alerts.active_rules), default=0.0)
        return build_streams(self._role, settings, self.metrics.series, self._event_clock, self._alerting, remembers)

    def _expect_series(self) -> None:
        """Known series start at 0: a counter that appears with its first event hides that event from `rate`."""
        for name in self.receivers:
            self.metrics.expect_receiver(f"otlp_{name}", Reason)
        for name, lane in self._lanes.items():
            self.metrics.expect_judge(name, sorted(lane.judge.facets) if lane.plan == "separate" else ["combined"])

    def _build_receivers(self, codec: Codec) -> dict[str, Receiver]:
        if not self._role.receives:
            return {}
        settings = {"grpc": self._config.receivers.grpc, "http": self._config.receivers.http}
        sink = self._streams.sink if self._streams and self._streams.sink else self._pipeline.take
        return build_receivers(settings, codec, sink, self.metrics, self._build_log_path())

    def _build_log_path(self) -> LogPath | None:
        """Log records join their spans where traces are assembled: here, or behind the topic of spans."""
        sink: SpanSink | None = self._streams.sink if self._streams else None
        if self._log_events:
            sink = self._log_events.take
        if sink is None:
            return None
        return LogPath(LogCodec(), sink, LogMetrics(self.metrics.series, ("otlp_grpc", "otlp_http"), Reason))

    def _build_kafka(self, codec: Codec) -> "KafkaReceiver | None":
        settings = self._config.receivers.kafka
        if settings is None and self._role is Role.EVALUATE and self._config.streams:
            settings = self._config.streams.receiver()
        if settings is None or self._log_events is None:
            return None
        series = KafkaMetrics(self.metrics.series)
        return build_kafka(settings, codec, self._pipeline, self._log_events.take, self.metrics, series, self._clock)

    def _spawn(self, name: str, run: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.create_task(run(), name=name)
        task.add_done_callback(self._ended)
        self._tasks.append(task)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A server that is half dead and looks alive is worse than one that ends and is started again."""
        if task.cancelled():
            return
        log.critical("%s ended by itself: stopping", task.get_name(), exc_info=task.exception())
        self._failure.set()

    async def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        next_second = loop.time()
        while True:
            due = loop.time() + TICK_S
            await asyncio.sleep(TICK_S)
            self.metrics.loop_lag(max(0.0, loop.time() - due))
            self._pipeline.tick()
            if loop.time() >= next_second:
                next_second = loop.time() + 1.0
                await self._tell_judge_states()
                if self._decides:
                    self.engine.tick()

    async def _tell_judge_states(self) -> None:
        for name in self._lanes:
            state = self._dispatcher.state(name)
            self.engine.judge_state(name, state)
            if self._streams:
                await self._streams.judge_state(name, state, self._clock.monotonic())

    def _health(self) -> dict[str, bool]:
        """What /readyz shows: each component and whether it works. Only `started` and `receivers` make it unready."""
        return {
            "started": self._ready and not self._failure.is_set(),
            "receivers": all(one.connected for one in (self.kafka, self._streams) if one is not None),
            **{f"judge {name}": self._dispatcher.state(name) == "closed" for name in self._lanes},
            **{f"notifier {name}": healthy for name, healthy in self.engine.notifier_health.items()},
            "cache": self._cache.degraded is None,
            "outbox": self.engine.outbox_degraded is None,
            **({"shared cache": self._shared.degraded is None} if self._shared is not None else {}),
        }


async def run(config: Config, role: Role = Role.ALL) -> int:
    """Start, work until told to stop, drain; the process's exit status."""
    service = Service(config, role=role)
    await service.start()
    log.info("metrics and evidence on http://%s:%d", config.web.host, service.web.port)
    failed = await service.run()
    log.info("stopping: no new spans; finishing what is in flight within %g s", config.drain_s)
    left = await service.stop()
    log.info("stopped; %d verdicts were left", left)
    return 1 if failed else 0
