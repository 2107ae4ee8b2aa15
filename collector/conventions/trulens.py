"""TruLens: span types, and what a function was called with and returned."""

from dataclasses import replace

from collector.codec import Span
from collector.conventions.common import facts, first, first_id, short
from collector.conventions.documents import read_documents
from collector.conventions.reading import ABSENT, Dialect, Kind, SpanReading
from collector.conventions.usage import counted

_PREFIX = "ai.observability."
_TOKENS = (_PREFIX + "cost.num_prompt_tokens", _PREFIX + "cost.num_completion_tokens")
_FACTS = {_PREFIX + "app_version": "service.version", _PREFIX + "cost.model": "gen_ai.request.model"}
_KINDS = {
    "retrieval": Kind.RETRIEVAL,
    "reranking": Kind.RERANKING,
    "generation": Kind.GENERATION,
    "tool": Kind.TOOL,
    "mcp": Kind.TOOL,
}


def read(span: Span) -> SpanReading | None:
    """A span with a TruLens span type."""
    attributes = span.attributes
    stamp = short(attributes.get(_PREFIX + "span_type"))
    if not stamp:
        return None
    kind = Kind.EVALUATION if stamp.startswith("eval") else _KINDS.get(stamp)
    reading = SpanReading(
        kind,
        input=attributes.get(_PREFIX + "record_root.input"),
        output=first(attributes, (_PREFIX + "record_root.output", _PREFIX + "call.return")),
        application=first_id(attributes, (_PREFIX + "app_name",)),
        attributes=facts(attributes, _FACTS),
        tokens=counted(attributes, _TOKENS),
    )
    if kind is Kind.RETRIEVAL:
        return _context(reading, span, "retrieval", "retrieved_contexts")
    return _context(reading, span, "reranking", "output_context_texts") if kind is Kind.RERANKING else reading


def _context(reading: SpanReading, span: Span, family: str, contexts: str) -> SpanReading:
    attributes = span.attributes
    given = attributes.get(f"{_PREFIX}{family}.input_context_texts")
    return replace(
        reading,
        query=attributes.get(f"{_PREFIX}{family}.query_text"),
        documents=read_documents(first(attributes, (f"{_PREFIX}{family}.{contexts}", _PREFIX + "call.return"))),
        candidates=ABSENT if given is None else read_documents(given),
        output=None,
    )


DIALECT = Dialect(
    name="trulens",
    markers=(b"ai.observability.",),
    keys=(_PREFIX + "span_type",),
    read=read,
    switch="name the query and the contexts in the attributes= of @instrument(span_type=RETRIEVAL)",
)
