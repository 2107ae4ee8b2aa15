"""A cause speaks for its consequences: while it is told, they are not."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from alerts.rules.base import RuleSettings
from alerts.slices import Slice, contains


class Alerting(Protocol):
    """What a rule says of a service, a judge and a slice; empty where it is about none in particular."""

    @property
    def rule(self) -> RuleSettings: ...

    @property
    def service(self) -> str: ...

    @property
    def judge(self) -> str: ...

    @property
    def slice(self) -> Slice: ...


def is_inhibited(consequence: Alerting, firing: Iterable[Alerting]) -> bool:
    """Whether one of the alerts that fire explains this one: a rule or a kind that its `inhibited_by` names.

    It must be about the same service, judge and slice, or about more than that.
    """
    names = consequence.rule.inhibited_by
    return bool(names) and any(
        (cause.rule.name in names or cause.rule.kind_name in names) and _covers(cause, consequence) for cause in firing
    )


def unknown_causes(rules: Sequence[RuleSettings], kinds: Iterable[str]) -> list[str]:
    """Names in `inhibited_by` that are neither a rule's nor a kind's."""
    known = {*kinds, *(rule.name for rule in rules)}
    return sorted({name for rule in rules for name in rule.inhibited_by if name not in known})


def _covers(cause: Alerting, consequence: Alerting) -> bool:
    return (
        cause.service in ("", consequence.service)
        and (not cause.judge or consequence.judge in ("", cause.judge))
        and contains(cause.slice, consequence.slice)
    )
