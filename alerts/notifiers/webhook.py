"""A webhook: signals as JSON, signed if there is a secret.

    POST url
    X-Groundwatch-Timestamp: 1800000000
    X-Groundwatch-Signature: sha256=HEX, the HMAC-SHA256 under the secret of TIMESTAMP + "." + BODY

    {"schema": "groundwatch.signals/1", "signals": [{...}, ...]}

The receiver checks the signature over the raw body, and that the timestamp is fresh. With `format: cloudevents` the
body is a batch of CloudEvents 1.0 (https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md),
whose data are the same signals; an event's id is the same whenever the same is told again.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator

from alerts.encoding import to_json
from alerts.notifiers.base import HOUR, UPDATE_S, Notifier, Policy
from alerts.notifiers.http import HttpSettings, HttpTarget, check_secret, secret_of
from alerts.signals import Signal, iso
from alerts.strict import SecretUrl
from evaluators.clock import Clock
from evaluators.duration import PositiveDuration

SCHEMA = "groundwatch.signals/1"
CLOUDEVENTS = "application/cloudevents-batch+json; charset=UTF-8"


class WebhookSettings(HttpSettings):
    """Any HTTP receiver. `secret`, or the variable named by `secret_env`, signs each request."""

    type: Literal["webhook"]
    name: str = "webhook"
    url: SecretUrl
    secret: Annotated[SecretStr | None, Field(repr=False)] = None
    secret_env: str | None = None
    format: Literal["signals", "cloudevents"] = "signals"
    repeat_interval: PositiveDuration = 4 * HOUR

    @model_validator(mode="after")
    def _secret_is_there(self) -> Self:
        check_secret("secret", self.secret, self.secret_env)
        self.check_user(self.url)
        return self

    def build(self, clock: Clock) -> list[Notifier]:
        """One notifier."""
        return [Webhook(self, clock)]


class Webhook:
    """Posts batches of signals."""

    def __init__(self, settings: WebhookSettings, clock: Clock) -> None:
        self.name = settings.name
        self.policy = Policy(repeat_s=settings.repeat_interval, update_s=UPDATE_S)
        self.timeout_s = settings.timeout
        self._secret = secret_of(settings.secret, settings.secret_env).encode()
        self._cloudevents = settings.format == "cloudevents"
        self._clock = clock
        self._target = HttpTarget(
            settings.url.get_secret_value(), clock, timeout_s=settings.timeout, headers=settings.headers
        )

    async def send(self, signals: Sequence[Signal]) -> None:
        """Post one batch."""
        timestamp = str(int(self._clock.wall()))
        headers = {"X-Groundwatch-Timestamp": timestamp}
        if self._cloudevents:
            body = to_json([cloudevent(signal) for signal in signals])
            headers["Content-Type"] = CLOUDEVENTS
        else:
            body = to_json({"schema": SCHEMA, "signals": [signal.to_json() for signal in signals]})
        if self._secret:
            headers["X-Groundwatch-Signature"] = sign(self._secret, timestamp, body)
        await self._target.post(body, headers)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._target.aclose()


def cloudevent(signal: Signal) -> dict[str, object]:
    """The signal as an event about its service."""
    data = signal.to_json()
    return {
        "specversion": "1.0",
        "id": hashlib.sha256(to_json(data)).hexdigest()[:32],
        "source": "/groundwatch",
        "type": f"groundwatch.signal.{signal.state}",
        "subject": signal.service or signal.judge or signal.rule,
        "time": iso(signal.ends_at or signal.starts_at),
        "datacontenttype": "application/json",
        "data": data,
    }


def sign(secret: bytes, timestamp: str, body: bytes) -> str:
    """The signature header: the timestamp is signed too, so that an old request cannot be sent again."""
    return "sha256=" + hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
