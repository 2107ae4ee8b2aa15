"""The OpenTelemetry SDK, set up as applications do: spans leave in batches, and all of them before the exit."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


@contextmanager
def exporting(service: str) -> Iterator[TracerProvider]:
    """A provider that sends to OTEL_EXPORTER_OTLP_ENDPOINT."""
    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    try:
        yield provider
    finally:
        provider.shutdown()
