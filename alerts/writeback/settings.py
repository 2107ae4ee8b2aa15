"""Where verdicts are written back to."""

from typing import Literal, Self

from pydantic import model_validator

from alerts.notifiers.http import check_secret, secret_of
from alerts.strict import Strict, Url
from evaluators.duration import PositiveDuration


class WriteBackSettings(Strict):
    """An OTLP endpoint: a Collector, or the trace backend itself.

    `endpoint` is its base address: /v1/logs and /v1/traces are added for http/protobuf. `headers_env` names a variable
    that holds headers as `name=value,name=value`. `events` sends log events, which Tempo's neighbour Loki and most
    vendors show beside a trace; `spans` sends one span for each verdict, for backends that take nothing but traces
    (Phoenix, Langfuse): `linked` in a trace of its own that links to the judged one, `child` inside the judged trace.
    """

    endpoint: Url
    protocol: Literal["http/protobuf", "grpc"] = "http/protobuf"
    headers_env: str | None = None
    events: bool = True
    spans: Literal["none", "linked", "child"] = "none"
    timeout: PositiveDuration = 10.0

    @model_validator(mode="after")
    def _sends_something(self) -> Self:
        check_secret("headers", None, self.headers_env)
        if not self.events and self.spans == "none":
            raise ValueError("nothing would be sent: set `events: true`, or `spans` to linked or child")
        return self

    @property
    def headers(self) -> dict[str, str]:
        """Lower-case names, as gRPC wants them."""
        pairs = (one.partition("=") for one in secret_of(None, self.headers_env).split(",") if "=" in one)
        return {name.strip().lower(): value.strip() for name, _, value in pairs}
