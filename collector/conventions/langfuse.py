"""Langfuse's SDKs: observations of a type, with input and output of the application's own shape."""

from dataclasses import replace

from collector.codec import Span
from collector.conventions.common import facts, first, first_id, short
from collector.conventions.documents import read_documents
from collector.conventions.reading import Dialect, Kind, SpanReading
from collector.conventions.usage import summed_in

_TYPE = "langfuse.observation.type"
_KINDS = {
    "retriever": Kind.RETRIEVAL,
    "reranker": Kind.RERANKING,
    "generation": Kind.GENERATION,
    "embedding": Kind.EMBEDDING,
    "tool": Kind.TOOL,
    "guardrail": Kind.GUARDRAIL,
    "evaluator": Kind.EVALUATION,
}
_ITS_OWN = "langfuse-"
_FACTS = {
    "langfuse.observation.model.name": "gen_ai.request.model",
    "langfuse.observation.prompt.name": "gen_ai.prompt.name",
    "langfuse.observation.prompt.version": "gen_ai.prompt.version",
    "langfuse.release": "service.version",
    "langfuse.environment": "deployment.environment",
}


def read(span: Span) -> SpanReading | None:
    """A Langfuse observation, or another library's span that its SDK put its session on."""
    attributes = span.attributes
    stamp = short(attributes.get(_TYPE))
    environment = attributes.get("langfuse.environment")
    if not stamp and environment is None and "langfuse.trace.input" not in attributes:
        return None
    kind = _KINDS.get(stamp)
    reading = SpanReading(
        kind,
        input=first(attributes, ("langfuse.observation.input", "langfuse.trace.input")),
        output=first(attributes, ("langfuse.observation.output", "langfuse.trace.output")),
        session=first_id(attributes, ("session.id", "langfuse.session.id")),
        user=first_id(attributes, ("user.id", "langfuse.user.id")),
        # Langfuse runs its own evaluators, experiments and its playground under such environments.
        excluded=f"environment {environment}" if short(environment).startswith(_ITS_OWN) else None,
        attributes=facts(attributes, _FACTS),
        tokens=summed_in(attributes.get("langfuse.observation.usage_details")) if kind is Kind.GENERATION else None,
    )
    if kind in (Kind.RETRIEVAL, Kind.RERANKING):
        return replace(reading, query=reading.input, documents=read_documents(reading.output), output=None)
    return replace(reading, query=reading.input) if kind is Kind.EMBEDDING else reading


DIALECT = Dialect(
    name="langfuse",
    markers=(b"langfuse.",),
    keys=(_TYPE, "langfuse.environment", "langfuse.trace.input"),
    read=read,
    switch="leave LANGFUSE_OBSERVE_DECORATOR_IO_CAPTURE_ENABLED on, or pass input= and output= to the observation",
)
