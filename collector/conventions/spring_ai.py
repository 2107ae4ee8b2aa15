"""Spring AI: vector stores tell their queries, and by opt-in what was found."""

from collector.codec import Span
from collector.conventions.common import short
from collector.conventions.documents import read_documents
from collector.conventions.reading import Dialect, Documents, Kind, SpanReading
from collector.conventions.values import is_masked

_DOCUMENTS = "db.vector.query.response.documents"
_BETWEEN = '", "'


def read(span: Span) -> SpanReading | None:
    """A span of a vector store or of a chat client."""
    attributes = span.attributes
    stamp = short(attributes.get("spring.ai.kind"))
    if stamp == "vector_store":
        if short(attributes.get("db.operation.name")) != "query":
            return SpanReading(Kind.TOOL)
        found = _documents(attributes.get(_DOCUMENTS))
        return SpanReading(Kind.RETRIEVAL, query=attributes.get("db.vector.query.content"), documents=found)
    return SpanReading(None) if stamp else None


def _documents(value: object) -> Documents:
    """The texts, quoted and joined by commas, where quotes within a text are not escaped: no JSON."""
    documents = read_documents(value)
    if not documents.truncated and len(documents.chunks) != 1:
        return documents
    if isinstance(value, str) and value.startswith('["') and not is_masked(value):
        return read_documents(value.removeprefix('["').removesuffix('"]').split(_BETWEEN))
    return documents


DIALECT = Dialect(
    name="spring_ai",
    markers=(b"spring.ai.",),
    keys=("spring.ai.kind",),
    read=read,
    switch="set spring.ai.vectorstore.observations.log-query-response=true",
)
