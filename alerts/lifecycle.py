"""The life of an alert: quiet, pending, firing. A pure step from one state to the next."""

from dataclasses import dataclass, replace
from enum import StrEnum

from alerts.rules.base import Condition


class Phase(StrEnum):
    """Where an alert is."""

    QUIET = "quiet"
    PENDING = "pending"
    FIRING = "firing"


class Move(StrEnum):
    """What a step did."""

    NONE = "none"
    RAISED = "raised"
    RESOLVED = "resolved"
    INHIBITED = "inhibited"


@dataclass(frozen=True, slots=True)
class Alert:
    """`since`: when the phase began. `clear_since`: since when a firing alert has been clear without a break."""

    phase: Phase = Phase.QUIET
    since: float = 0.0
    clear_since: float | None = None


def advance(alert: Alert, condition: Condition, now: float, *, for_s: float, clear_s: float) -> tuple[Alert, Move]:
    """One step.

    Raised after `for_s` seconds of unbroken breach, resolved after `clear_s` seconds of unbroken clear. Whatever is
    neither (unsure, too few) raises nothing and resolves nothing.
    """
    if alert.phase is Phase.FIRING:
        return _firing(alert, condition, now, clear_s)
    if condition is not Condition.BREACH:
        return (Alert(since=now), Move.NONE) if alert.phase is Phase.PENDING else (alert, Move.NONE)
    since = alert.since if alert.phase is Phase.PENDING else now
    if now - since >= for_s:
        return Alert(Phase.FIRING, now), Move.RAISED
    return Alert(Phase.PENDING, since), Move.NONE


def _firing(alert: Alert, condition: Condition, now: float, clear_s: float) -> tuple[Alert, Move]:
    if condition is not Condition.CLEAR:
        return replace(alert, clear_since=None), Move.NONE
    clear_since = now if alert.clear_since is None else alert.clear_since
    if now - clear_since >= clear_s:
        return Alert(since=now), Move.RESOLVED
    return replace(alert, clear_since=clear_since), Move.NONE
