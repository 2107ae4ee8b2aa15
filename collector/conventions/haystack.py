"""Haystack's own tracing: the class of a component says what it does."""

from dataclasses import replace

from collector.codec import Span
from collector.conventions.common import MAX_FACT, first, short
from collector.conventions.documents import read_documents
from collector.conventions.reading import Dialect, Kind, SpanReading, Tokens
from collector.conventions.usage import counted
from collector.conventions.values import as_id, decode

_CLASS = "haystack.component.type"
_PATH = "haystack.component.fully_qualified_type"
_INPUT = ("haystack.component.input", "haystack.pipeline.input_data", "haystack.agent.input")
_OUTPUT = ("haystack.component.output", "haystack.pipeline.output_data", "haystack.agent.output")
_USAGE = (("prompt_tokens", "completion_tokens"), ("input_tokens", "output_tokens"))
_FAMILIES = (
    # A joiner stands for the retrievals that it joined, as a ranker does for those that it ranked.
    ((".rankers.", ".joiners."), ("ranker", "documentjoiner"), Kind.RERANKING),
    ((".retrievers.", ".websearch."), ("retriever", "websearch"), Kind.RETRIEVAL),
    ((".generators.",), ("generator",), Kind.GENERATION),
    ((".embedders.",), ("embedder",), Kind.EMBEDDING),
    ((".evaluators.",), ("evaluator",), Kind.EVALUATION),
    ((), ("promptbuilder",), Kind.PROMPT),
)


def read(span: Span) -> SpanReading | None:
    """A component's run, or the pipeline's."""
    attributes = span.attributes
    name, path = short(attributes.get(_CLASS)), short(attributes.get(_PATH))
    kind = _kind(name, path)
    asked, said = first(attributes, _INPUT), first(attributes, _OUTPUT)
    reading = SpanReading(kind, input=asked, output=said)
    if kind is Kind.RETRIEVAL:
        return replace(reading, query=asked, documents=read_documents(said), output=None)
    if kind is Kind.RERANKING:
        given = read_documents(asked)
        return replace(reading, query=asked, documents=read_documents(said), candidates=given, output=None)
    if kind is Kind.GENERATION:
        tokens, model = _meta(said)
        return replace(reading, tokens=tokens, attributes={"gen_ai.request.model": model} if model else {})
    return replace(reading, query=asked) if kind is Kind.EMBEDDING else reading


def _meta(said: object) -> tuple[Tokens | None, str]:
    """Tokens and model, which a generator puts out beside its texts or within its first message."""
    output = decode(said).value
    if not isinstance(output, dict):
        return None, ""
    replies = output.get("replies")
    message = replies[0] if isinstance(replies, list) and replies and isinstance(replies[0], dict) else {}
    listed = output.get("meta")
    meta = (listed[0] if isinstance(listed, list) and listed else None) or message.get("meta") or message.get("_meta")
    if not isinstance(meta, dict):
        return None, ""
    usage = meta.get("usage")
    return counted(usage, *_USAGE) if isinstance(usage, dict) else None, (as_id(meta.get("model")) or "")[:MAX_FACT]


def _kind(name: str, path: str) -> Kind | None:
    for folders, classes, kind in _FAMILIES:
        if any(folder in path for folder in folders) or any(part in name for part in classes):
            return kind
    return None


DIALECT = Dialect(
    name="haystack",
    markers=(b"haystack.",),
    keys=(_CLASS, _PATH, *_INPUT, *_OUTPUT),
    read=read,
    switch="set HAYSTACK_CONTENT_TRACING_ENABLED=true",
)
