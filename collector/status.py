"""The one table from an error to what a sender is told: HTTP status, gRPC code, `google.rpc.Status` body."""

import json
import math
from dataclasses import dataclass
from enum import StrEnum

from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from evaluators.errors import PermanentError, RetryableError

MAX_MESSAGE_CHARS = 300
"""OTLP asks for less than 4 KiB. gRPC sends a message percent-encoded, up to 12 bytes a character, and again in the
details, in trailers that a client refuses above 8 KiB."""

_MIN_RETRY_S, _MAX_RETRY_S = 1, 2
"""Python exporters drop the batch at once when Retry-After exceeds their own timeout."""


class Reason(StrEnum):
    """Why a request or a span was refused: a closed set, because it is a metric label."""

    DECODE_ERROR = "decode_error"
    TOO_LARGE = "too_large"
    TOO_MANY_SPANS = "too_many_spans"
    NOT_FOUND = "not_found"
    WRONG_METHOD = "wrong_method"
    UNSUPPORTED_TYPE = "unsupported_type"
    UNSUPPORTED_ENCODING = "unsupported_encoding"
    UNAUTHORIZED = "unauthorized"
    TIMEOUT = "timeout"
    OVERLOADED = "overloaded"
    INTERNAL = "internal"
    INVALID_ID = "invalid_id"
    INVALID_UTF8 = "invalid_utf8"
    TOO_DEEP = "too_deep"


class RefusedError(PermanentError):
    """The sender must change something. `str` is for the sender and holds none of what it sent."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


# Exporters over gRPC retry RESOURCE_EXHAUSTED whatever else the answer says, so it stands only where OTLP asks for it.
_CODES: dict[Reason, tuple[int, int]] = {
    Reason.DECODE_ERROR: (400, Code.INVALID_ARGUMENT),
    Reason.TOO_LARGE: (413, Code.RESOURCE_EXHAUSTED),
    Reason.TOO_MANY_SPANS: (413, Code.INVALID_ARGUMENT),
    Reason.NOT_FOUND: (404, Code.NOT_FOUND),
    Reason.WRONG_METHOD: (405, Code.UNIMPLEMENTED),
    Reason.UNSUPPORTED_TYPE: (415, Code.INVALID_ARGUMENT),
    Reason.UNSUPPORTED_ENCODING: (400, Code.INVALID_ARGUMENT),
    Reason.UNAUTHORIZED: (401, Code.UNAUTHENTICATED),
    Reason.TIMEOUT: (408, Code.DEADLINE_EXCEEDED),
    Reason.OVERLOADED: (503, Code.UNAVAILABLE),
    Reason.INTERNAL: (500, Code.INTERNAL),
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a sender is told. `retry_after_s` is None where it must not send the same again."""

    reason: Reason
    message: str
    retry_after_s: int | None = None

    @property
    def http_status(self) -> int:
        """The status line of OTLP/HTTP."""
        return _CODES[self.reason][0]

    @property
    def grpc_code(self) -> int:
        """The number of the gRPC status code."""
        return _CODES[self.reason][1]

    def status(self) -> Status:
        """The `google.rpc.Status`, with RetryInfo where retrying may help."""
        status = Status(code=self.grpc_code, message=self.message)
        if self.retry_after_s is not None:
            detail = Any()
            detail.Pack(RetryInfo(retry_delay=Duration(seconds=self.retry_after_s)))
            status.details.append(detail)
        return status

    def json(self) -> bytes:
        """The status for a sender that speaks OTLP/JSON."""
        return json.dumps({"code": self.grpc_code, "message": self.message}).encode()


def refusal_of(error: Exception) -> Refusal:
    """Map an error of a stage to its answer. What is no GroundwatchError is our own fault and is not described."""
    if isinstance(error, RefusedError):
        return Refusal(error.reason, _cut(error))
    if isinstance(error, RetryableError):
        wait = math.ceil(error.retry_after or _MIN_RETRY_S)
        return Refusal(Reason.OVERLOADED, _cut(error), min(max(wait, _MIN_RETRY_S), _MAX_RETRY_S))
    if isinstance(error, PermanentError):
        return Refusal(Reason.DECODE_ERROR, _cut(error))
    return Refusal(Reason.INTERNAL, "internal error")


def _cut(error: Exception) -> str:
    return str(error)[:MAX_MESSAGE_CHARS]
