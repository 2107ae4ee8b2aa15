"""A Kafka topic: one message a signal, keyed by its fingerprint: a compacted topic holds how each alert stands."""

import asyncio
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, SecretStr, StringConstraints, model_validator

from alerts.encoding import to_json
from alerts.notifiers.base import HOUR, UPDATE_S, Notifier, Policy
from alerts.notifiers.http import check_secret, secret_of
from alerts.signals import SCHEMA, Signal
from alerts.strict import Strict
from evaluators.clock import Clock
from evaluators.duration import PositiveDuration
from evaluators.errors import PermanentError, RetryableError

if TYPE_CHECKING:
    from aiokafka import AIOKafkaProducer

HEADERS = [("content-type", b"application/json"), ("schema", SCHEMA.encode())]

Address = Annotated[str, StringConstraints(pattern=r"^[^\s,/@]+:[0-9]{1,5}$")]
Topic = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,249}$")]


class KafkaSettings(Strict):
    """`sasl_password`, or the variable named by `sasl_password_env`, signs in as `sasl_username`."""

    type: Literal["kafka"]
    name: str = "kafka"
    bootstrap_servers: Annotated[tuple[Address, ...], Field(strict=False, min_length=1)]
    topic: Topic = "groundwatch_signals"
    tls: bool = False
    tls_ca: Annotated[Path | None, Field(strict=False)] = None
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] | None = None
    sasl_username: str | None = None
    sasl_password: Annotated[SecretStr | None, Field(repr=False)] = None
    sasl_password_env: str | None = None
    timeout: PositiveDuration = 15.0
    repeat_interval: PositiveDuration = 4 * HOUR

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_secret("sasl_password", self.sasl_password, self.sasl_password_env)
        has_password = self.sasl_password is not None or self.sasl_password_env is not None
        signs_in = (self.sasl_mechanism is not None, self.sasl_username is not None, has_password)
        if any(signs_in) and not all(signs_in):
            raise ValueError("sasl_mechanism, sasl_username and sasl_password_env belong together")
        if self.tls_ca and not self.tls:
            raise ValueError("tls_ca needs tls: true")
        return self

    def build(self, clock: Clock) -> list[Notifier]:
        """One notifier. Raises PermanentError without the library."""
        return [Kafka(self)]


class Kafka:
    """Writes signals to a topic; they count as taken once all in-sync replicas have them."""

    def __init__(self, settings: KafkaSettings) -> None:
        self.name = settings.name
        self.policy = Policy(repeat_s=settings.repeat_interval, update_s=UPDATE_S)
        self.timeout_s = settings.timeout
        self._topic = settings.topic
        self._options = _options(settings)
        self._producer: AIOKafkaProducer | None = None

    async def send(self, signals: Sequence[Signal]) -> None:
        """Write one batch."""
        from aiokafka.errors import KafkaError

        try:
            producer = await self._started()
            messages = [(signal.fingerprint.encode(), to_json(signal.to_json())) for signal in signals]
            sent = [await producer.send(self._topic, body, key=key, headers=HEADERS) for key, body in messages]
            await asyncio.gather(*sent)
        except KafkaError as error:
            # Its text may name hosts and users; what it is called says what to do.
            message = f"kafka: {type(error).__name__}"
            raise (RetryableError(message) if error.retriable else PermanentError(message)) from None
        except OSError as error:
            raise RetryableError(f"kafka: {type(error).__name__}") from None

    async def aclose(self) -> None:
        """Close the connections."""
        producer, self._producer = self._producer, None
        if producer is not None:
            await producer.stop()

    async def _started(self) -> "AIOKafkaProducer":
        if self._producer is None:
            from aiokafka import AIOKafkaProducer

            producer = AIOKafkaProducer(**self._options)
            try:
                await producer.start()
            except BaseException:
                await producer.stop()
                raise
            self._producer = producer
        return self._producer


def _options(settings: KafkaSettings) -> dict[str, Any]:
    try:
        import aiokafka  # noqa: F401  only whether it is there
    except ModuleNotFoundError as error:
        raise PermanentError("Kafka is not installed: pip install 'groundwatch[kafka]'") from error
    protocol = ("SASL_" if settings.sasl_mechanism else "") + ("SSL" if settings.tls else "PLAINTEXT")
    return {
        "bootstrap_servers": list(settings.bootstrap_servers),
        "client_id": "groundwatch",
        "acks": "all",
        "request_timeout_ms": int(settings.timeout * 1000),
        "security_protocol": protocol,
        "ssl_context": _trust(settings.tls_ca) if settings.tls else None,
        "sasl_mechanism": settings.sasl_mechanism or "PLAIN",
        "sasl_plain_username": settings.sasl_username,
        "sasl_plain_password": secret_of(settings.sasl_password, settings.sasl_password_env) or None,
    }


def _trust(tls_ca: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=tls_ca)
    except OSError as error:
        raise PermanentError(f"tls_ca cannot be used: {error.strerror or type(error).__name__}") from error
