"""What all receivers share: take a body, hand its spans over, count, and only then acknowledge."""

import hmac
import logging
from dataclasses import dataclass
from typing import Protocol

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from collector.spans import SpanBatch, SpanSink
from collector.status import Reason, Refusal, RefusedError, refusal_of
from evaluators.errors import RetryableError

log = logging.getLogger(__name__)


class ReceiverMetrics(Protocol):
    """What receivers count. `reason` is one of collector.status.Reason."""

    def spans_received(self, receiver: str, count: int) -> None: ...

    def spans_ordinary(self, receiver: str, count: int) -> None: ...

    def spans_rejected(self, receiver: str, reason: str, count: int) -> None: ...


class Receiver(Protocol):
    """A component that listens.

    `start` returns once it accepts requests, on `port`; it raises PermanentError where it cannot listen. `stop` refuses
    new requests, lets those in progress finish for `grace_s` seconds, and may be called before `start` and twice.
    """

    port: int

    async def start(self) -> None: ...

    async def stop(self, grace_s: float) -> None: ...


class Decoder(Protocol):
    """Turns a request's body into a batch; raises RefusedError."""

    def decode(self, body: bytes) -> SpanBatch: ...


@dataclass(frozen=True, slots=True)
class LogPath:
    """Where a receiver takes log exports to; without one it takes none."""

    codec: Decoder
    sink: SpanSink
    metrics: ReceiverMetrics


class Intake:
    """From a request's body to an acknowledgement. `name` is the receiver's in metrics."""

    def __init__(self, name: str, codec: Decoder, sink: SpanSink, metrics: ReceiverMetrics) -> None:
        self._name = name
        self._sink = sink
        self._metrics = metrics
        self.decode = codec.decode

    def take(self, body: bytes) -> SpanBatch:
        """Decode and deliver. Raises RefusedError, or RetryableError and has taken nothing."""
        batch = self.decode(body)
        self.deliver(batch)
        return batch

    def deliver(self, batch: SpanBatch) -> None:
        """Hand the batch over and count it. Raises RetryableError and has taken nothing."""
        try:
            self._sink(batch)
        except RetryableError:
            self._metrics.spans_rejected(self._name, Reason.OVERLOADED, max(batch.received, 1))
            raise
        self._metrics.spans_received(self._name, batch.received)
        self._metrics.spans_ordinary(self._name, batch.ordinary)
        for reason, count in batch.rejected.items():
            self._metrics.spans_rejected(self._name, reason, count)

    def refuse(self, error: Exception) -> Refusal:
        """Count a whole request that was refused, as one span at least, and say what to answer."""
        refusal = refusal_of(error)
        if refusal.reason is Reason.INTERNAL:
            log.error("a request failed for a reason of our own", exc_info=error)
        if refusal.reason is not Reason.OVERLOADED:
            self._metrics.spans_rejected(self._name, refusal.reason, 1)
        return refusal


def acknowledgement(batch: SpanBatch) -> bytes:
    """The serialized response: empty unless something was rejected (OTLP, Partial Success).

    An ExportLogsServiceResponse has the same fields.
    """
    if not batch.rejected:
        return b""
    response = ExportTraceServiceResponse()
    response.partial_success.rejected_spans = sum(batch.rejected.values())
    response.partial_success.error_message = batch.message
    return response.SerializeToString()


class Gate:
    """Checks bearer tokens, before anything else of a request is looked at."""

    def __init__(self, token: str | None) -> None:
        self._token = None if token is None else token.encode()

    def check(self, authorization: str | None) -> None:
        """Raise RefusedError unless the Authorization header holds the token."""
        if self._token is None:
            return
        scheme, _, credentials = (authorization or "").partition(" ")
        # The comparison takes as long for a nearly right token as for a wrong one.
        right = hmac.compare_digest(credentials.strip().encode("utf-8", "replace"), self._token)
        if not right or scheme.lower() != "bearer":
            raise RefusedError(Reason.UNAUTHORIZED, "a bearer token is needed: Authorization: Bearer ...")
