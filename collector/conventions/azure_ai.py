"""Azure AI's tracer for LangChain: a retriever is a tool of type `retriever`."""

from collector.codec import Span
from collector.conventions.common import short
from collector.conventions.documents import read_documents
from collector.conventions.reading import Dialect, Kind, SpanReading


def read(span: Span) -> SpanReading | None:
    """A retriever's span."""
    attributes = span.attributes
    if short(attributes.get("gen_ai.tool.type")) != "retriever":
        return None
    return SpanReading(
        Kind.RETRIEVAL,
        query=attributes.get("gen_ai.retriever.query"),
        documents=read_documents(attributes.get("gen_ai.retriever.results")),
    )


DIALECT = Dialect(
    name="azure_ai",
    markers=(b"gen_ai.",),
    keys=("gen_ai.tool.type",),
    read=read,
    switch="create the tracer with enable_content_recording=True",
)
