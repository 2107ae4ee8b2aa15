"""PagerDuty, Events API v2: one incident for a group of alerts.

https://developer.pagerduty.com/docs/events-api-v2-overview
"""

import hashlib
from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator

from alerts.encoding import to_json
from alerts.notifiers.base import Notifier
from alerts.notifiers.grouped import GroupedSettings
from alerts.notifiers.http import HttpTarget, check_secret, secret_of
from alerts.notifiers.wording import SHOWN, is_over, links_of, title_of
from alerts.rules.base import Severity
from alerts.signals import Signal, iso
from alerts.strict import Url
from evaluators.clock import Clock
from evaluators.duration import PositiveDuration

SUMMARY_LIMIT = 1024
BODY_LIMIT = 512_000

_SEVERITIES = {Severity.PAGE: "critical", Severity.TICKET: "warning", Severity.INFO: "info"}


class PagerDutySettings(GroupedSettings):
    """`routing_key`, or the variable named by `routing_key_env`, is the integration key of the service to page."""

    type: Literal["pagerduty"]
    name: str = "pagerduty"
    url: Url = "https://events.pagerduty.com/v2/enqueue"
    routing_key: Annotated[SecretStr | None, Field(repr=False)] = None
    routing_key_env: str | None = None
    timeout: PositiveDuration = 10.0

    @model_validator(mode="after")
    def _key_is_there(self) -> Self:
        check_secret("routing_key", self.routing_key, self.routing_key_env)
        if self.routing_key is None and self.routing_key_env is None:
            raise ValueError("give routing_key_env, the variable that holds the integration key")
        return self

    def build(self, clock: Clock) -> list[Notifier]:
        """One notifier."""
        return [PagerDuty(self, clock)]


class PagerDuty:
    """Triggers an incident per group and resolves it when nothing of the group goes on."""

    def __init__(self, settings: PagerDutySettings, clock: Clock) -> None:
        self.name = settings.name
        self.policy = settings.policy
        self.timeout_s = settings.timeout
        self._key = secret_of(settings.routing_key, settings.routing_key_env)
        self._target = HttpTarget(settings.url, clock, timeout_s=settings.timeout, headers={})

    async def send(self, signals: Sequence[Signal]) -> None:
        """Send one event."""
        await self._target.post(event(signals, self._key, dedup_key(signals[0], self.policy.group_by)))

    async def aclose(self) -> None:
        """Close all connections."""
        await self._target.aclose()


def dedup_key(signal: Signal, group_by: Sequence[str]) -> str:
    """The same for all alerts of a group, at all times and on all replicas."""
    text = "\xff".join(f"{name}\xfe{value}" for name, value in zip(group_by, signal.group(group_by), strict=True))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def event(signals: Sequence[Signal], routing_key: str, key: str) -> bytes:
    """The event within PagerDuty's limits: alerts that do not fit are counted in `truncated`."""
    shown = min(len(signals), SHOWN)
    while len(body := to_json(_event(signals, routing_key, key, shown))) > BODY_LIMIT and shown:
        shown -= 1
    return body


def _event(signals: Sequence[Signal], routing_key: str, key: str, shown: int) -> dict[str, object]:
    first = signals[0]
    return {
        "routing_key": routing_key,
        "event_action": "resolve" if is_over(signals) else "trigger",
        "dedup_key": key,
        "client": "groundwatch",
        "client_url": first.url,
        "links": [{"href": address, "text": name} for address, name in links_of(first)],
        "payload": {
            "summary": title_of(signals, SUMMARY_LIMIT),
            "source": first.service or first.judge or "groundwatch",
            "severity": _SEVERITIES[min((one.severity for one in signals), key=lambda severity: severity.rank)],
            "timestamp": iso(min(signal.starts_at for signal in signals)),
            "component": first.service,
            "class": first.rule,
            "custom_details": {
                "alerts": [signal.to_json() for signal in signals[:shown]],
                "truncated": len(signals) - shown,
            },
        },
    }
