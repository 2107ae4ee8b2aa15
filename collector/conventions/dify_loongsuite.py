"""Dify's exporter and Alibaba's LoongSuite: GenAI attributes with a span kind and values of their own."""

from dataclasses import replace

from collector.codec import Span
from collector.conventions.common import first, first_id, short
from collector.conventions.documents import read_documents
from collector.conventions.reading import ABSENT, Dialect, Kind, SpanReading

_KIND = "gen_ai.span.kind"
_DOCUMENT = "retrieval.document"
_KINDS = {
    "retriever": Kind.RETRIEVAL,
    "reranker": Kind.RERANKING,
    "llm": Kind.GENERATION,
    "embedding": Kind.EMBEDDING,
    "tool": Kind.TOOL,
    "execute_tool": Kind.TOOL,
}


def read(span: Span) -> SpanReading | None:
    """A span with such a kind, or with documents."""
    attributes = span.attributes
    kind = _KINDS.get(short(attributes.get(_KIND)))
    if kind is None and _DOCUMENT in attributes:
        kind = Kind.RETRIEVAL
    reading = SpanReading(
        kind,
        input=attributes.get("input.value"),
        output=attributes.get("output.value"),
        session=first_id(attributes, ("gen_ai.session.id", "session.id")),
        user=first_id(attributes, ("gen_ai.user.id", "user.id")),
    )
    if kind is Kind.RETRIEVAL:
        return _context(reading, span, "retrieval.query", (_DOCUMENT, "output.value"))
    if kind is Kind.RERANKING:
        return _context(reading, span, "reranker.query", ("reranker.output_document", "output.value"))
    if kind is Kind.GENERATION:
        # What the model got and gave is told better by the GenAI attributes, where they are there.
        return replace(
            reading,
            input=None,
            output=first(attributes, ("gen_ai.output.messages", "gen_ai.completion", "output.value")),
        )
    return reading


def _context(reading: SpanReading, span: Span, query: str, documents: tuple[str, ...]) -> SpanReading:
    given = span.attributes.get("reranker.input_document")
    return replace(
        reading,
        query=first(span.attributes, (query, "input.value")),
        documents=read_documents(first(span.attributes, documents)),
        candidates=ABSENT if given is None else read_documents(given),
        output=None,
    )


DIALECT = Dialect(
    name="dify_loongsuite",
    markers=(b"gen_ai.",),
    keys=(_KIND, _DOCUMENT),
    read=read,
)
