"""MLflow tracing: every value is JSON, the span type too; and its GenAI mode, which drops what a retriever returned."""

from dataclasses import replace

from collector.codec import Span
from collector.conventions.common import MAX_FACT, SESSION_KEYS, USER_KEYS, first_id, member_id, short
from collector.conventions.documents import read_documents
from collector.conventions.reading import Dialect, Kind, SpanReading
from collector.conventions.usage import counted_in
from collector.conventions.values import as_id, decode

_TYPE = "mlflow.spanType"
_KINDS = {
    "retriever": Kind.RETRIEVAL,
    "reranker": Kind.RERANKING,
    "llm": Kind.GENERATION,
    "chat_model": Kind.GENERATION,
    "embedding": Kind.EMBEDDING,
    "tool": Kind.TOOL,
    "guardrail": Kind.GUARDRAIL,
    "evaluator": Kind.EVALUATION,
}


def read(span: Span) -> SpanReading | None:
    """A span with an MLflow type; in GenAI mode one whose operation is such a type, in capitals."""
    attributes = span.attributes
    if _TYPE not in attributes:
        operation = attributes.get("gen_ai.operation.name")
        is_ours = isinstance(operation, str) and operation.isupper()
        return _with_session(SpanReading(None), span) if is_ours else None
    kind = _KINDS.get(short(attributes.get(_TYPE)))
    asked, said = attributes.get("mlflow.spanInputs"), attributes.get("mlflow.spanOutputs")
    reading = _with_session(SpanReading(kind, input=asked, output=said), span)
    if kind is Kind.GENERATION:
        used = counted_in(attributes.get("mlflow.chat.tokenUsage"), ("input_tokens", "output_tokens"))
        model = as_id(decode(attributes.get("mlflow.llm.model")).value)
        return replace(reading, tokens=used, attributes={"gen_ai.request.model": model[:MAX_FACT]} if model else {})
    if kind is Kind.RETRIEVAL:
        return replace(reading, query=asked, documents=read_documents(said), output=None)
    if kind is Kind.RERANKING:
        given = read_documents(asked)
        return replace(reading, query=asked, documents=read_documents(said), candidates=given, output=None)
    return replace(reading, query=asked) if kind is Kind.EMBEDDING else reading


def _with_session(reading: SpanReading, span: Span) -> SpanReading:
    attributes = span.attributes
    metadata = attributes.get("metadata")
    return replace(
        reading,
        session=first_id(attributes, ("mlflow.trace.session",)) or member_id(metadata, SESSION_KEYS),
        user=first_id(attributes, ("mlflow.trace.user",)) or member_id(metadata, USER_KEYS),
    )


DIALECT = Dialect(
    name="mlflow",
    markers=(b"mlflow.span",),
    keys=(_TYPE, "gen_ai.operation.name"),
    read=read,
    switch="unset MLFLOW_ENABLE_OTEL_GENAI_SEMCONV: in that mode retrievers lose query and documents",
)
