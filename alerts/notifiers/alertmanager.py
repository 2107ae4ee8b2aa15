"""Prometheus Alertmanager, API v2: https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml

A client keeps telling Alertmanager about an alert while it lasts, well inside the time after which Alertmanager
resolves it by itself, and repeats that it is over for some minutes, in case Alertmanager restarts meanwhile.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from alerts.encoding import to_json
from alerts.labels import clean_label
from alerts.notifiers.base import Notifier, Policy
from alerts.notifiers.http import HttpSettings, HttpTarget
from alerts.signals import Signal, SignalState, iso
from alerts.strict import SecretUrl
from evaluators.clock import Clock

RESEND_S = 60.0
LASTS_S = 300.0
"""A firing alert resolves by itself so long after we were last heard of: five re-sends may be lost."""

RESOLVED_FOR_S = 300.0

_LABEL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


def _label_names(labels: Mapping[str, str]) -> Mapping[str, str]:
    for name in labels:
        if not _LABEL_NAME.fullmatch(name):
            raise ValueError(f"{clean_label(name, 40)!r} is not a label name: use letters, digits and _")
    return labels


class AlertmanagerSettings(HttpSettings):
    """One or several Alertmanagers: each gets every alert, as their documentation of high availability asks for.

    `labels` are added to every alert, for routing.
    """

    type: Literal["alertmanager"]
    name: str = "alertmanager"
    urls: Annotated[tuple[SecretUrl, ...], Field(strict=False, min_length=1)]
    labels: Annotated[dict[str, str], AfterValidator(_label_names)] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_way_to_sign_in(self) -> Self:
        for url in self.urls:
            self.check_user(url)
        return self

    def build(self, clock: Clock) -> list[Notifier]:
        """One notifier for each Alertmanager, so that none waits for another."""
        several = len(self.urls) > 1
        return [
            Alertmanager(f"{self.name}-{number}" if several else self.name, url.get_secret_value(), self, clock)
            for number, url in enumerate(self.urls, start=1)
        ]


class Alertmanager:
    """One Alertmanager."""

    policy = Policy(repeat_s=RESEND_S, resolved_for_s=RESOLVED_FOR_S, batch=64)

    def __init__(self, name: str, url: str, settings: AlertmanagerSettings, clock: Clock) -> None:
        self.name = name
        self.timeout_s = settings.timeout
        self._labels = settings.labels
        self._clock = clock
        self._target = HttpTarget(
            f"{url.rstrip('/')}/api/v2/alerts", clock, timeout_s=settings.timeout, headers=settings.headers
        )

    async def send(self, signals: Sequence[Signal]) -> None:
        """Post the alerts as they are now."""
        now = self._clock.wall()
        await self._target.post(to_json([to_alert(signal, self._labels, now) for signal in signals]))

    async def aclose(self) -> None:
        """Close all connections."""
        await self._target.aclose()


def to_alert(signal: Signal, extra: Mapping[str, str], now: float) -> dict[str, object]:
    """An alert that Alertmanager accepts: valid label names, no empty values, valid UTF-8, an end after its start.

    One invalid alert makes it answer 400 to the whole batch, although it takes the valid ones.
    """
    labels = {name: clean_label(value) for name, value in {**extra, **signal.labels}.items() if value}
    ends_at = signal.ends_at if signal.state is SignalState.RESOLVED and signal.ends_at else now + LASTS_S
    return {
        "labels": labels,
        "annotations": signal.annotations,
        "startsAt": iso(signal.starts_at),
        "endsAt": iso(max(ends_at, signal.starts_at)),
        "generatorURL": signal.url,
    }
