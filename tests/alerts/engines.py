"""An engine with real metrics and store, a fake clock and notifiers that the test scripts."""

from dataclasses import dataclass, field

from prometheus_client.parser import text_string_to_metric_families

from alerts.exposition import Metrics
from alerts.monitor import AlertEngine
from alerts.notifiers.base import Notifier
from alerts.rules import RuleSettings
from alerts.settings import AlertSettings
from alerts.signals import Signal
from alerts.store import VerdictStore
from evaluators.evaluation import Assessment
from tests.fakes import FakeClock, ScriptedNotifier


@dataclass
class Bench:
    """Everything around one engine."""

    engine: AlertEngine
    clock: FakeClock
    metrics: Metrics
    store: VerdictStore
    notifier: ScriptedNotifier = field(default_factory=ScriptedNotifier)

    def observe(self, *assessments: Assessment, every_s: float = 0.0) -> None:
        for assessment in assessments:
            self.engine.observe(assessment)
            self.clock.advance(every_s)

    async def tick(self, seconds: float = 0.0, *, step: float = 1.0) -> list[Signal]:
        """Let time pass, a tick at each step; returns the signals that were handed over meanwhile."""
        before = len(self.notifier.signals)
        until = self.clock.now + seconds
        while True:
            self.engine.tick()
            await self.engine.idle()
            if self.clock.now >= until:
                return self.notifier.signals[before:]
            self.clock.advance(min(step, until - self.clock.now))

    @property
    def firing(self) -> set[str]:
        return {rule for rule, _, _ in self.engine.firing}


def bench(
    *rules: RuleSettings,
    notifier: ScriptedNotifier | None = None,
    others: tuple[Notifier, ...] = (),
    clock: FakeClock | None = None,
    **settings: object,
) -> Bench:
    """An engine with these rules only, or with the default ones where none are given."""
    clock = clock or FakeClock()
    metrics, store, notifier = Metrics(clock), VerdictStore(clock), notifier or ScriptedNotifier()
    chosen = AlertSettings(**settings)  # type: ignore[arg-type]
    engine = AlertEngine(rules or chosen.active_rules, [notifier, *others], metrics, store, clock, chosen)
    return Bench(engine, clock, metrics, store, notifier)


def series(metrics: Metrics, name: str, **labels: str) -> float | None:
    """The value of a series in the exposition, None where it is not exposed."""
    metrics.refresh()
    body, _ = metrics.render()
    for family in text_string_to_metric_families(body.decode()):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return float(sample.value)
    return None
