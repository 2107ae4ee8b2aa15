"""Haystack's own tracing: the class of a component says what it does."""

from dataclasses import replace

from collector.codec import Span
from collector.conventions.common import first, short
from collector.conventions.documents import read_documents
from collector.conventions.reading import Dialect, Kind, SpanReading

_CLASS = "haystack.component.type"
_PATH = "haystack.component.fully_qualified_type"
_INPUT = ("haystack.component.input", "haystack.pipeline.input_data", "haystack.agent.input")
_OUTPUT = ("haystack.component.output", "haystack.pipeline.output_data", "haystack.agent.output")
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
    return replace(reading, query=asked) if kind is Kind.EMBEDDING else reading


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
