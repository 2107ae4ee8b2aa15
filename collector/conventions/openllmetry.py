"""OpenLLMetry (Traceloop): its LangChain instrumentation, its vector stores' span events, its decorators."""

from dataclasses import replace

from collector.attributes import Attributes
from collector.codec import Span
from collector.conventions.common import SESSION_KEYS, USER_KEYS, facts, first, first_id, short
from collector.conventions.documents import documents_of, read_documents
from collector.conventions.reading import ABSENT, Dialect, Documents, Kind, SpanReading
from collector.conventions.usage import counted

_PROPERTIES = "traceloop.association.properties."
_SESSION = (*(_PROPERTIES + key for key in SESSION_KEYS), "session.id")
_USER = (*(_PROPERTIES + key for key in USER_KEYS), "user.id")
_INPUT = ("traceloop.entity.input", "gen_ai.task.input")
_OUTPUT = ("traceloop.entity.output", "gen_ai.task.output")
_HIT = "db.query.result"
_TOKENS = ("llm.usage.prompt_tokens", "llm.usage.completion_tokens")
_FACTS = {"llm.request.model": "gen_ai.request.model"}
_KNOWN_TO_LANGCHAIN = {_PROPERTIES + "ls_model_name": "gen_ai.request.model"}
_KINDS = {"tool": Kind.TOOL}
_REQUESTS = {
    "chat": Kind.GENERATION,
    "completion": Kind.GENERATION,
    "embedding": Kind.EMBEDDING,
    "rerank": Kind.RERANKING,
}


def read(span: Span) -> SpanReading | None:
    """A span of the SDK (`traceloop.*`), of a model call, or of a vector store's query."""
    attributes = span.attributes
    stamp = short(attributes.get("traceloop.span.kind"))
    request = _REQUESTS.get(short(attributes.get("llm.request.type")))
    hits = _hits(span)
    if hits is None and not stamp and request is None and "traceloop.workflow.name" not in attributes:
        return None
    reading = SpanReading(
        request or _KINDS.get(stamp) or _unnamed(attributes),
        input=first(attributes, _INPUT),
        output=first(attributes, _OUTPUT),
        session=first_id(attributes, _SESSION),
        user=first_id(attributes, _USER),
        attributes=_facts(attributes),
        tokens=counted(attributes, _TOKENS),
    )
    if hits is not None:
        return replace(reading, kind=Kind.RETRIEVAL, documents=hits)
    if short(attributes.get("gen_ai.operation.name")) == "vector_db_retrieve":
        documents = read_documents(reading.output)
        return replace(reading, kind=Kind.RETRIEVAL, query=reading.input, documents=documents, output=None)
    return reading


def _facts(attributes: Attributes) -> dict[str, str]:
    """The model; LangChain may know the one that the instrumentation does not."""
    is_unknown = short(attributes.get("gen_ai.request.model")) == "unknown"
    return facts(attributes, _KNOWN_TO_LANGCHAIN if is_unknown else _FACTS)


def _unnamed(attributes: Attributes) -> Kind | None:
    """LlamaIndex's model calls are tasks without an operation, told by the messages that they gave."""
    said = "gen_ai.output.messages" in attributes and "gen_ai.operation.name" not in attributes
    return Kind.GENERATION if said else None


def _hits(span: Span) -> Documents | None:
    """What a vector store found, from the span's events; None where the span is no query of one."""
    hits = [_hit(attributes) for name, attributes in span.events if name == _HIT]
    if hits:
        return documents_of(hits)
    is_chroma = short(span.attributes.get("db.system")) == "chroma"
    return ABSENT if is_chroma and short(span.attributes.get("db.operation")) == "query" else None


def _hit(attributes: Attributes) -> dict[str, object]:
    start = len(_HIT) + 1
    return {key[start:]: attributes.get(key) for key in attributes if key.startswith(_HIT)}


DIALECT = Dialect(
    name="openllmetry",
    markers=(b"traceloop.", b"gen_ai.", b"db.query.result", b"db.chroma.query"),
    keys=("traceloop.span.kind", "traceloop.workflow.name", "llm.request.type", "db.system"),
    read=read,
    switch="set TRACELOOP_TRACE_CONTENT=true",
)
