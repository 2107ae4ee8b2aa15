"""Google's Agent Development Kit: the GenAI conventions, with contents in attributes of its own."""

from collector.codec import Span
from collector.conventions.common import first
from collector.conventions.reading import Dialect, SpanReading

_PREFIX = "gcp.vertex.agent."
_INPUT = (_PREFIX + "llm_request", _PREFIX + "tool_call_args")
_OUTPUT = (_PREFIX + "llm_response", _PREFIX + "tool_response")


def read(span: Span) -> SpanReading | None:
    """A model's or a tool's call; its kind is left to the GenAI conventions."""
    asked, said = first(span.attributes, _INPUT), first(span.attributes, _OUTPUT)
    return None if asked is None and said is None else SpanReading(None, input=asked, output=said)


DIALECT = Dialect(
    name="google_adk",
    markers=(b"gen_ai.",),
    keys=(*_INPUT, *_OUTPUT),
    read=read,
    switch="set ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true",
)
