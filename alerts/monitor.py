"""The alert engine: verdicts in, signals out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from alerts.holding import JudgeTime
from alerts.inhibition import is_inhibited
from alerts.labels import LabelValues, Overflowing
from alerts.ledger import Ledger
from alerts.lifecycle import Move
from alerts.mix import Mix
from alerts.notifiers.base import Notifier
from alerts.observing import BREAKER_VALUES, concerns, observations, retrieval_of, suspicion_of
from alerts.outbox_file import OutboxFile
from alerts.outbox_store import Kept, OutboxStore
from alerts.pipeline import NotificationMetrics, NotificationPipeline
from alerts.rules.base import BREAKER, RETRIEVED, SUSPICION, TRAFFIC, Observation, RuleSettings
from alerts.settings import AlertSettings
from alerts.signals import Signal, SignalState
from alerts.track import Mark, Track
from alerts.tracks import Tracks
from evaluators.clock import Clock
from evaluators.evaluation import Assessment, Evaluation
from evaluators.metrics import METRICS

REFRESH_S = 15.0
"""A firing alert is told anew at most this often, however many traces join it."""


class AlertMetrics(NotificationMetrics, Protocol):
    """Where rules and notifications are counted."""

    def expect_rule(self, rule: str, service: str, severity: str) -> None: ...

    def signal(self, rule: str, service: str, severity: str) -> None: ...

    def signal_inhibited(self, rule: str, service: str) -> None: ...

    def rule_firing(self, rule: str, service: str, firing: bool) -> None: ...

    def count_overflows(self, label: str, values: Overflowing) -> None: ...

    def forget_overflows(self, values: Overflowing) -> None: ...


class Evidence(Protocol):
    """Who keeps the evidence of a trace that an alert cites."""

    def cite(self, assessment: Assessment) -> None: ...


class AlertEngine:
    """Rules over verdicts, alerts to notifiers.

    `observe` and `judge_state` only count and take some microseconds. `tick`, called about once a second, decides and
    hands over. All run on one event loop. `outbox` takes the place of the settings' file; alerts of services of which
    `tells` says no are raised and not told, because another process tells them.
    """

    def __init__(
        self,
        rules: Sequence[RuleSettings],
        notifiers: Sequence[Notifier],
        metrics: AlertMetrics,
        store: Evidence,
        clock: Clock,
        settings: AlertSettings,
        outbox: OutboxStore | None = None,
        tells: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._rules = rules
        self._tells = tells
        self._watched = frozenset(rule.observes for rule in rules)
        self._watched_metrics = frozenset(metric for metric in METRICS if concerns(metric, self._watched))
        self._metrics = metrics
        self._store = store
        self._clock = clock
        self._settings = settings
        self._links = settings.links
        self._pipeline = NotificationPipeline(notifiers, metrics, clock, outbox or OutboxFile(settings.outbox_path))
        self._services = LabelValues(settings.max_services)
        metrics.count_overflows("alert_service", self._services)
        self._time = JudgeTime()
        self._judge_states: dict[str, str] = {}
        self._mixes: dict[str, Mix] = {}
        self._ledger: Ledger[Mark] = Ledger()
        self._tracks = Tracks(rules, self._time, metrics.expect_rule)
        metrics.count_overflows("slice", self._tracks)
        for signal in self._pipeline.lasting:
            self._adopt(signal)

    @property
    def notifier_health(self) -> dict[str, bool]:
        """By notifier: whether it could hand over what it had."""
        return self._pipeline.health

    @property
    def outbox_degraded(self) -> str | None:
        """Why notifications would not survive a restart, None where they would or need not."""
        return self._pipeline.degraded

    @property
    def firing(self) -> list[tuple[str, str, str]]:
        """Rule, service and judge of every alert that is raised."""
        return [(track.rule.name, track.service, track.judge) for track in self._tracks if track.firing]

    def observe(self, assessment: Assessment) -> None:
        """Count one judge's verdict on one sample. A repeat counts once, a later verdict replaces the earlier."""
        now, service = self._clock.monotonic(), self._services(assessment.sample.service)
        attributes = assessment.sample.attributes
        self._mixes.setdefault(service, Mix(self._settings.changes)).add(now, attributes)
        self._tell(now, service, assessment.judge, attributes, Observation(TRAFFIC, 1.0))
        evaluations = [one for one in assessment.evaluations if one.metric in self._watched_metrics]
        if RETRIEVED in self._watched and (retrieval := retrieval_of(assessment.sample)):
            evaluations.append(retrieval)
        if SUSPICION in self._watched and (suspicion := suspicion_of(assessment.sample)):
            evaluations.append(suspicion)
        for evaluation in evaluations:
            if not self._ledger.is_repeat(assessment.sample.trace_id, evaluation):
                self._count(now, service, assessment, evaluation)

    def judge_state(self, judge: str, state: str) -> None:
        """The breaker of a judge is now closed, half_open or open; saying it again changes nothing."""
        if self._judge_states.get(judge) == state:
            return
        self._judge_states[judge] = state
        now = self._clock.monotonic()
        self._time.judge_state(judge, state, now)
        self._tell(now, "", judge, {}, Observation(BREAKER, BREAKER_VALUES[state], state))

    def tick(self, now: float | None = None) -> None:
        """Decide, tell what changed, and start the sends that are due."""
        now = self._clock.monotonic() if now is None else now
        for track in self._tracks:
            track.read(now)
        self._tracks.compare_slices()
        firing = [track for track in self._tracks if track.firing]
        # Causes first, so that one that is raised in this very tick already speaks for its consequences.
        for track in sorted(self._tracks, key=lambda one: bool(one.rule.inhibited_by)):
            self._step(track, now, firing)
        self._pipeline.tick(now)

    async def idle(self) -> None:
        """Wait until no notification is under way."""
        await self._pipeline.idle()

    async def stop(self, deadline_s: float = 5.0) -> dict[str, int]:
        """Tell what is due and close the notifiers; how many alerts were not delivered, by each notifier with such.

        Alerts stay raised: the next process may find them so.
        """
        return await self._pipeline.stop(deadline_s)

    def adopt(self, states: Iterable[tuple[str, Kept]]) -> None:
        """Go on with alerts that others have told, by notifier, once all that they were raised by is observed."""
        for notifier, kept in states:
            self._pipeline.adopt(notifier, kept)
        for signal in self._pipeline.lasting:
            self._adopt(signal, patience_s=0.0)

    async def abandon(self) -> None:
        """End without telling anything more: what was raised here is others' now."""
        for rule, service in {(rule, service) for rule, service, _ in self.firing}:
            self._metrics.rule_firing(rule, service, False)
        for bounded in (self._services, self._tracks):
            self._metrics.forget_overflows(bounded)
        await self._pipeline.abandon()

    def _count(self, now: float, service: str, assessment: Assessment, evaluation: Evaluation) -> None:
        trace_id, held = assessment.sample.trace_id, self._time.of(assessment.judge).held
        for mark in self._ledger.take(trace_id, evaluation):
            mark.track.retract(mark, trace_id)
        marks: list[Mark] = []
        for observation in observations(assessment, evaluation, self._watched, judge_held=held):
            marks += self._tell(now, service, assessment.judge, assessment.sample.attributes, observation, assessment)
        if marks:
            self._ledger.note(trace_id, evaluation, marks)

    def _tell(
        self,
        now: float,
        service: str,
        judge: str,
        attributes: Mapping[str, str],
        observation: Observation,
        assessment: Assessment | None = None,
    ) -> list[Mark]:
        marks = []
        for track in self._tracks.watching(observation.key, service, judge, attributes):
            marks.append(track.add(now, observation))
            if assessment and track.cite(now, observation, assessment):
                self._store.cite(assessment)
        return marks

    def _step(self, track: Track, now: float, firing: list[Track]) -> None:
        move = track.step(now, lambda: is_inhibited(track, firing))
        if move is Move.INHIBITED:
            self._metrics.signal_inhibited(track.rule.name, track.service)
            return
        if move is Move.RAISED:
            firing.append(track)
            mix = self._mixes.get(track.service)
            track.began(self._clock.wall(), mix.changes(now, track.rule.remembers) if mix else ())
            self._metrics.signal(track.rule.name, track.service, track.rule.severity)
        if move is not Move.NONE:
            self._publish(track, now, SignalState.FIRING if move is Move.RAISED else SignalState.RESOLVED)
        elif track.firing and track.changed and now - track.published_at >= REFRESH_S:
            self._publish(track, now, SignalState.FIRING)
        if track.is_forgotten(now):
            self._forget(track, now)

    def _adopt(self, signal: Signal, patience_s: float | None = None) -> None:
        """Go on with an alert of an earlier process; one that no rule would raise any more is over."""
        now, wall = self._clock.monotonic(), self._clock.wall()
        rule = next((rule for rule in self._rules if rule.name == signal.rule), None)
        if rule and rule.matches(signal.service, signal.judge or rule.judge or ""):
            service = self._services(signal.service) if signal.service else ""
            track = self._tracks.get(rule, service, signal.judge, signal.slice)
            track.adopt(signal, now, patience_s)
            if track.signal(self._links, self._settings.content, wall, signal.state).fingerprint == signal.fingerprint:
                track.published_at = now
                self._metrics.rule_firing(rule.name, service, True)
                return
            self._tracks.forget(track)
        self._pipeline.publish(replace(signal, state=SignalState.RESOLVED, ends_at=max(wall, signal.starts_at)), now)

    def _publish(self, track: Track, now: float, state: SignalState) -> None:
        signal = track.signal(self._links, self._settings.content, self._clock.wall(), state)
        track.published_at, track.changed = now, False
        if self._tells(track.service):
            self._pipeline.publish(signal, now)
        self._metrics.rule_firing(track.rule.name, track.service, self._any_firing(track))

    def _any_firing(self, track: Track) -> bool:
        names = (track.rule.name, track.service)
        return any((other.rule.name, other.service) == names and other.firing for other in self._tracks)

    def _forget(self, track: Track, now: float) -> None:
        self._tracks.forget(track)
        if track.firing:
            self._publish(track, now, SignalState.RESOLVED)
