"""Traffic besides the sample application's: real applications' bodies, a mixed fleet, and senders that misbehave."""

import urllib.error
import urllib.request
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.bench.traffic import mixed_fleet

CAPTURES = Path(__file__).parents[1] / "captures"
TENANTS = 120
"""More than the services that the monitor tells apart."""


def replay(http: str, *, floods: int) -> None:
    """Send every capture, two batches of a mixed fleet, one body that is no request, and `floods` unfinished traces."""
    for body in sorted(CAPTURES.glob("**/*.logs")):
        post(http, body.read_bytes(), "logs")
    for body in sorted(CAPTURES.glob("*/*.pb")):
        post(http, body.read_bytes())
    for seed in range(2):
        post(http, mixed_fleet(seed))
    post(http, b"<html>")
    post(http, _unfinished(floods))


def post(http: str, body: bytes, kind: str = "traces") -> int:
    """Send one request of `traces` or `logs`; its status."""
    headers = {"Content-Type": "application/x-protobuf"}
    if body.startswith(b"\x1f\x8b"):
        headers["Content-Encoding"] = "gzip"
    request = urllib.request.Request(f"{http}/v1/{kind}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


def _unfinished(count: int) -> bytes:
    """Retrievals whose parent never comes, of many services."""
    request = ExportTraceServiceRequest()
    for number in range(1, count + 1):
        resource_spans = request.resource_spans.add()
        name = resource_spans.resource.attributes.add(key="service.name")
        name.value.string_value = f"tenant-{number % TENANTS}"
        identity = number.to_bytes(8, "big")
        span = resource_spans.scope_spans.add().spans.add(
            trace_id=identity * 2, span_id=identity, parent_span_id=b"elsewher", name="search"
        )
        span.attributes.add(key="openinference.span.kind").value.string_value = "RETRIEVER"
    return request.SerializeToString()
