"""One rule that watches one service (and judge): its memory, its alert, and the traces to cite."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from alerts.explain import Content, Links, describe, summarize
from alerts.findings import Finding, WorstTraces, is_contradicted
from alerts.holding import Watchable
from alerts.lifecycle import Alert, Move, Phase, advance
from alerts.mix import Change
from alerts.rules.base import Case, Condition, Observation, Reading, RuleSettings
from alerts.signals import Signal, SignalState
from alerts.slices import WHOLE, Slice
from evaluators.evaluation import Assessment

ADOPTED_S = 60.0
"""An alert of an earlier process is not resolved before this process has looked for so long."""

RECHECK_S = 10.0
"""Where nothing came and no alert is up, only time can change a reading: it is looked at this often."""


class Mark(NamedTuple):
    """What takes an observation back."""

    track: "Track"
    place: int
    observation: Observation


class Track:
    """Counting is cheap and happens at each verdict; deciding happens in `step`, once a second.

    `changed` says that a firing alert has something new to tell. `doubted` says that its breach does not stand the
    comparison with the other slices.
    """

    def __init__(self, rule: RuleSettings, service: str, judge: str, time: Watchable, part: Slice = WHOLE) -> None:
        self.rule = rule
        self.service = service
        self.judge = judge
        self.slice = part
        self.alert = Alert()
        self.changed = False
        self.doubted = False
        self.published_at = 0.0
        self._time = time
        self._watch = rule.watch()
        self._worst = WorstTraces()
        self._reading = Reading(Condition.TOO_FEW)
        self._hits = 0
        self._cause = ""
        self._starts_at = 0.0
        self._touched = 0.0
        self._read_at = 0.0
        self._news = True
        self._due = False
        self._adopted: Signal | None = None
        self._patience = 0.0
        self._changes: tuple[Change, ...] = ()
        self._muted = False

    @property
    def firing(self) -> bool:
        """Whether the alert is raised."""
        return self.alert.phase is Phase.FIRING

    def add(self, now: float, observation: Observation) -> Mark:
        """Count an observation."""
        self._touched, self._news = now, True
        if self._watch.fails(observation.value):
            self._hits += 1
            self.changed = True
        return Mark(self, self._watch.add(self._time.at(now), observation), observation)

    def cite(self, now: float, observation: Observation, assessment: Assessment) -> bool:
        """Remember the trace if it is among the worst; a contradicted claim counts more than a missing one."""
        if not (self.rule.cites and self._watch.fails(observation.value)):
            return False
        at, badness = self._time.at(now), self.rule.badness(observation.value) + is_contradicted(assessment)
        if not self._worst.wants(at, badness):
            return False
        self._worst.add(at, badness, self.rule.finding(assessment))
        return True

    def retract(self, mark: Mark, trace_id: str) -> None:
        """Take an observation back: its verdict was superseded."""
        self._news = True
        self._watch.retract(mark.place, mark.observation)
        if self._watch.fails(mark.observation.value):
            self._hits = max(0, self._hits - 1)
            self._worst.drop(trace_id)

    @property
    def reading(self) -> Reading:
        """What was read last."""
        return self._reading

    def read(self, now: float) -> None:
        """Look at what came. While the judge is unavailable nothing is looked at."""
        active = self.alert.phase is not Phase.QUIET
        self._due = not self._time.held and (active or self._news or now - self._read_at >= RECHECK_S)
        if not self._due:
            return
        self._news, self._read_at = False, now
        at = self._time.at(now)
        self._reading = self._watch.read(at, active=active)
        self._worst.expire(at - self.rule.remembers, keep_last=active)
        self._cause = self._watch.tally.main_cause or (self._cause if active else "")

    def step(self, now: float, is_inhibited: Callable[[], bool] = lambda: False) -> Move:
        """Decide, by what was read at this time. What is inhibited waits for the end of its cause, and says so once."""
        if not self._due:
            return Move.NONE
        condition, at = self._reading.condition, self._time.at(now)
        if (condition is Condition.BREACH and self.doubted) or (condition is Condition.CLEAR and at < self._patience):
            condition = Condition.UNSURE
        alert, move = advance(self.alert, condition, at, for_s=self.rule.for_, clear_s=self.rule.clear_for)
        muted, self._muted = self._muted, move is Move.RAISED and is_inhibited()
        if self._muted:
            self.alert = Alert(Phase.PENDING, self.alert.since if self.alert.phase is Phase.PENDING else at)
            return Move.NONE if muted else Move.INHIBITED
        self.alert = alert
        if move is Move.RAISED:
            self._hits = self._watch.tally.failures
        return move

    def is_forgotten(self, now: float) -> bool:
        """Whether nothing came for so long that the service is gone, not broken."""
        return not self._time.held and now - self._touched > self.rule.forget_after

    def began(self, wall: float, changes: tuple[Change, ...] = ()) -> None:
        """The alert was raised at this time, after these changes."""
        self._starts_at, self._changes = wall, changes

    def adopt(self, signal: Signal, now: float, patience_s: float | None = None) -> None:
        """Go on with an alert that an earlier process raised: that nothing is remembered does not mean it is over.

        It is not resolved before `patience_s`; by default that is as long as the rule remembers.
        """
        at = self._time.at(now)
        self.alert = Alert(Phase.FIRING, at)
        self._touched, self._starts_at, self._hits = now, signal.starts_at, signal.count
        self._changes = signal.changes
        wait = max(self.rule.remembers, ADOPTED_S) if patience_s is None else patience_s
        self._adopted, self._patience = signal, at + wait

    def signal(self, links: Links, content: Content, wall: float, state: SignalState) -> Signal:
        """The alert as it may travel."""
        ends_at = max(wall, self._starts_at) if state is SignalState.RESOLVED else None
        if self._adopted and not self._watch.tally.n:
            return replace(self._adopted, severity=self.rule.severity, state=state, ends_at=ends_at)
        traces = tuple(links.cite(finding, content) for finding in self._worst.findings)
        case = self._case(traces[0].finding if traces else None)
        return Signal(
            rule=self.rule.name,
            severity=self.rule.severity,
            service=self.service,
            judge=self.judge,
            metric=self.rule.about,
            slice=self.slice,
            state=state,
            starts_at=self._starts_at,
            ends_at=ends_at,
            summary=summarize(self.rule, case),
            description=describe(self.rule, case, self._changes),
            estimate=self._reading.estimate,
            limit=self._reading.limit,
            baseline=self._reading.baseline,
            higher_is_worse=self.rule.higher_is_worse,
            count=self._hits,
            diagnosis=self._cause,
            changes=self._changes,
            traces=traces,
            runbook=links.runbook(self.rule),
            url=traces[0].evidence_url if traces else links.overview(self.service),
        )

    def _case(self, finding: Finding | None) -> Case:
        return Case(self.service, self.judge, self._reading, self._hits, self._cause, finding, self.slice)
