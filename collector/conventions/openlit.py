"""OpenLIT: the GenAI conventions, and the input and output of a workflow in attributes of its own."""

from collector.codec import Span
from collector.conventions.common import first_id
from collector.conventions.reading import Dialect, SpanReading


def read(span: Span) -> SpanReading | None:
    """A span that OpenLIT wrote; its kind is left to the GenAI conventions."""
    attributes = span.attributes
    return SpanReading(
        None,
        input=attributes.get("gen_ai.workflow.input"),
        output=attributes.get("gen_ai.workflow.output"),
        application=first_id(attributes, ("gen_ai.application_name",)),
    )


DIALECT = Dialect(
    name="openlit",
    markers=(b"gen_ai.",),
    keys=("gen_ai.application_name", "gen_ai.workflow.input"),
    read=read,
    switch="call openlit.init(capture_message_content=True)",
)
