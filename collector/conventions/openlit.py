"""OpenLIT: the GenAI conventions, and attributes of its own for a workflow's texts and the count of documents."""

from dataclasses import replace

from collector.attributes import Attributes
from collector.codec import Span
from collector.conventions.common import first_id
from collector.conventions.documents import read_documents
from collector.conventions.reading import Dialect, Documents, SpanReading, State
from collector.conventions.values import as_number


def read(span: Span) -> SpanReading | None:
    """A span that OpenLIT wrote; its kind is left to the GenAI conventions."""
    attributes = span.attributes
    return SpanReading(
        None,
        documents=_documents(attributes),
        input=attributes.get("gen_ai.workflow.input"),
        output=attributes.get("gen_ai.workflow.output"),
        application=first_id(attributes, ("gen_ai.application_name",)),
    )


def _documents(attributes: Attributes) -> Documents:
    """At most three documents are recorded; the count is of all."""
    documents = read_documents(attributes.get("gen_ai.retrieval.documents"))
    count = as_number(attributes.get("gen_ai.retrieval.document_count"))
    if count is None:
        return documents
    if count == 0:
        return Documents(State.EMPTY)
    return replace(documents, truncated=True) if count > len(documents.chunks) else documents


DIALECT = Dialect(
    name="openlit",
    markers=(b"gen_ai.",),
    keys=("gen_ai.application_name", "gen_ai.workflow.input", "gen_ai.retrieval.document_count"),
    read=read,
    switch="call openlit.init(capture_message_content=True)",
)
