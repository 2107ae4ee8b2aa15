"""LangSmith's OpenTelemetry export. Its own kind wins: its GenAI operation says `embeddings` on retrievers."""

from dataclasses import replace

from collector.codec import Span
from collector.conventions.common import SESSION_KEYS, USER_KEYS, facts, first_id, short
from collector.conventions.documents import read_documents
from collector.conventions.reading import Dialect, Kind, SpanReading

_KIND = "langsmith.span.kind"
_METADATA = "langsmith.metadata."
_KINDS = {
    "retriever": Kind.RETRIEVAL,
    "llm": Kind.GENERATION,
    "embedding": Kind.EMBEDDING,
    "tool": Kind.TOOL,
    "prompt": Kind.PROMPT,
}
_SESSION = tuple(_METADATA + key for key in SESSION_KEYS)
_USER = tuple(_METADATA + key for key in USER_KEYS)
_EXPERIMENT = ("langsmith.reference_example_id", _METADATA + "reference_example_id")
_FACTS = {_METADATA + "ls_model_name": "gen_ai.request.model", _METADATA + "ls_provider": "gen_ai.provider.name"}
_HIDDEN = "[hidden]"


def read(span: Span) -> SpanReading | None:
    """A span with a LangSmith kind."""
    attributes = span.attributes
    stamp = short(attributes.get(_KIND))
    if not stamp:
        return None
    kind = _KINDS.get(stamp, Kind.CHAIN)
    asked, said = attributes.get("gen_ai.prompt"), attributes.get("gen_ai.completion")
    reading = SpanReading(
        kind,
        input=_unhidden(asked),
        output=_unhidden(said),
        session=first_id(attributes, _SESSION),
        user=first_id(attributes, _USER),
        application=first_id(attributes, ("langsmith.trace.session_name",)),
        excluded="an experiment" if any(key in attributes for key in _EXPERIMENT) else None,
        attributes=facts(attributes, _FACTS) if kind is Kind.GENERATION else {},
    )
    if kind is Kind.RETRIEVAL:
        return replace(reading, query=reading.input, documents=read_documents(said), output=None)
    return replace(reading, query=reading.input) if kind is Kind.EMBEDDING else reading


def _unhidden(value: object | None) -> object | None:
    """Hidden inputs and outputs arrive as an empty object."""
    return _HIDDEN if isinstance(value, str) and value.strip() == "{}" else value


DIALECT = Dialect(
    name="langsmith",
    markers=(b"langsmith.",),
    keys=(_KIND,),
    read=read,
    switch="unset LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS",
)
