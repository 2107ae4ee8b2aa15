"""DeepEval / Confident AI."""

from dataclasses import replace

from collector.codec import Span
from collector.conventions.common import facts, first, first_id, short
from collector.conventions.documents import read_documents
from collector.conventions.reading import Dialect, Kind, SpanReading
from collector.conventions.usage import counted

_TYPE = "confident.span.type"
_CONTEXT = "confident.span.retrieval_context"
_KINDS = {
    "retriever": Kind.RETRIEVAL,
    "llm": Kind.GENERATION,
    "tool": Kind.TOOL,
}
_TOKENS = ("confident.llm.input_token_count", "confident.llm.output_token_count")
_TEST = ("confident.trace.test_case_id", "confident.trace.test_run_id")
_FACTS = {
    "confident.llm.model": "gen_ai.request.model",
    "confident.retriever.embedder": "gen_ai.embeddings.model",
    "confident.trace.environment": "deployment.environment",
}


def read(span: Span) -> SpanReading | None:
    """A span with a Confident type, with a retrieval context, or with what belongs to the trace."""
    attributes = span.attributes
    stamp = short(attributes.get(_TYPE))
    has_context = _CONTEXT in attributes
    if not stamp and not has_context and "confident.trace.input" not in attributes:
        return None
    kind = _KINDS.get(stamp)
    if kind is None and has_context:
        kind = Kind.RETRIEVAL
    reading = SpanReading(
        kind,
        input=first(attributes, ("confident.trace.input", "confident.span.input")),
        output=first(attributes, ("confident.trace.output", "confident.span.output")),
        session=first_id(attributes, ("confident.trace.thread_id", "confident.trace.session_id")),
        user=first_id(attributes, ("confident.trace.user_id",)),
        excluded="a test run" if any(key in attributes for key in _TEST) else None,
        attributes=facts(attributes, _FACTS),
        tokens=counted(attributes, _TOKENS) if kind is Kind.GENERATION else None,
    )
    if kind is not Kind.RETRIEVAL:
        return reading
    asked, said = attributes.get("confident.span.input"), attributes.get("confident.span.output")
    documents = read_documents(attributes.get(_CONTEXT) if has_context else said)
    return replace(reading, query=asked, documents=documents, output=None if stamp == "retriever" else reading.output)


DIALECT = Dialect(
    name="deepeval",
    markers=(b"confident.",),
    keys=(_TYPE, _CONTEXT, "confident.trace.input"),
    read=read,
    switch="pass retrieval_context=, input= and output= to update_current_span",
)
