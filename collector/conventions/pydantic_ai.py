"""Pydantic AI and Logfire: the GenAI conventions, with the run's messages and result on the agent's span."""

from collector.codec import Span
from collector.conventions.common import first
from collector.conventions.reading import Dialect, Kind, SpanReading
from collector.conventions.usage import counted

_RUN_TOKENS = ("gen_ai.aggregated_usage.input_tokens", "gen_ai.aggregated_usage.output_tokens")
_MESSAGES = ("pydantic_ai.all_messages", "all_messages_events")


def read(span: Span) -> SpanReading | None:
    """An agent's run, or a tool's as versions before the GenAI attributes wrote it."""
    attributes = span.attributes
    if "tool_response" in attributes and "gen_ai.tool.name" in attributes:
        return SpanReading(Kind.TOOL, input=attributes.get("tool_arguments"), output=attributes.get("tool_response"))
    messages = first(attributes, _MESSAGES)
    if messages is None and "final_result" not in attributes:
        return None
    return SpanReading(
        None,
        input=messages,
        output=first(attributes, ("final_result",)) or messages,
        tokens=counted(attributes, _RUN_TOKENS),
    )


DIALECT = Dialect(
    name="pydantic_ai",
    markers=(b"gen_ai.",),
    keys=(*_MESSAGES, "final_result", "tool_response"),
    read=read,
    switch="create InstrumentationSettings with include_content=True",
)
