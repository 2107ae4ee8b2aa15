"""An application instrumented by hand with the plain OpenTelemetry SDK, exporting over OTLP/HTTP.

usage: plain_app.py ENDPOINT ANSWER
"""

import sys

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

QUESTION = "Within how many days can I get a refund?"
REFUNDS = "Refunds: customers may return any product for a full refund within 30 days of purchase."


def main(endpoint: str, answer: str) -> None:
    provider = TracerProvider(resource=Resource.create({"service.name": "plain-shop"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{endpoint}/v1/traces")))
    tracer = provider.get_tracer("plain")
    with tracer.start_as_current_span("POST /chat"):
        with tracer.start_as_current_span("step-1") as span:
            span.set_attribute("openinference.span.kind", "RETRIEVER")
            span.set_attribute("input.value", QUESTION)
            span.set_attribute("retrieval.documents.0.document.id", "refund-policy#1")
            span.set_attribute("retrieval.documents.0.document.content", REFUNDS)
        with tracer.start_as_current_span("step-2") as span:
            span.set_attribute("openinference.span.kind", "LLM")
            span.set_attribute("llm.output_messages.0.message.role", "assistant")
            span.set_attribute("llm.output_messages.0.message.content", answer)
    provider.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
