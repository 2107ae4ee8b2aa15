"""Vercel's AI SDK up to version 6 (`ai.*`; version 7 writes the GenAI conventions)."""

from dataclasses import replace

from collector.attributes import Attributes
from collector.codec import Span
from collector.conventions.common import facts, first, first_id
from collector.conventions.documents import documents_of, read_documents
from collector.conventions.reading import ABSENT, Dialect, Documents, Kind, SpanReading
from collector.conventions.usage import counted
from collector.conventions.values import as_number, decode

_OPERATION = "ai.operationId"
_METADATA = "ai.telemetry.metadata."
_TOKENS = (("ai.usage.inputTokens", "ai.usage.outputTokens"), ("ai.usage.promptTokens", "ai.usage.completionTokens"))
_FACTS = {"ai.model.id": "gen_ai.request.model"}
_SESSION = tuple(_METADATA + key for key in ("sessionId", "session_id", "threadId", "thread_id", "chatId"))
_USER = tuple(_METADATA + key for key in ("userId", "user_id"))


def read(span: Span) -> SpanReading | None:
    """A span of one of the SDK's operations."""
    attributes = span.attributes
    operation = attributes.get(_OPERATION)
    if not isinstance(operation, str):
        return None
    reading = SpanReading(
        None,
        input=first(attributes, ("ai.prompt", "ai.prompt.messages")),
        output=first(attributes, ("ai.response.text", "ai.response.object")),
        session=first_id(attributes, _SESSION),
        user=first_id(attributes, _USER),
    )
    if operation == "ai.toolCall":
        asked, said = attributes.get("ai.toolCall.args"), attributes.get("ai.toolCall.result")
        return replace(reading, kind=Kind.TOOL, input=asked, output=said)
    if operation.startswith("ai.embed"):
        return replace(reading, kind=Kind.EMBEDDING, query=attributes.get("ai.value"))
    if operation.startswith("ai.rerank"):
        given = read_documents(attributes.get("ai.documents"))
        return replace(reading, kind=Kind.RERANKING, documents=_ranked(attributes, given), candidates=given)
    # The operation's own span sums up its steps, and is all there is of some.
    used = replace(reading, tokens=counted(attributes, *_TOKENS), attributes=facts(attributes, _FACTS))
    return replace(used, kind=Kind.GENERATION) if ".do" in operation else used


def _ranked(attributes: Attributes, given: Documents) -> Documents:
    """The documents in their new order: the ranking names them by position."""
    ranking = attributes.get("ai.ranking")
    if not isinstance(ranking, list):
        return ABSENT
    found: list[dict[str, object]] = []
    for entry in (decode(item).value for item in ranking):
        index = as_number(entry.get("index")) if isinstance(entry, dict) else None
        if index is None or not 0 <= index < len(given.chunks) or not isinstance(entry, dict):
            return ABSENT
        chunk = given.chunks[int(index)]
        found.append({"content": chunk.text, "id": chunk.id, "score": entry.get("relevanceScore")})
    return documents_of(found)


DIALECT = Dialect(
    name="vercel_ai",
    markers=(b"ai.operationId",),
    keys=(_OPERATION,),
    read=read,
    switch="leave recordInputs and recordOutputs of experimental_telemetry on",
)
