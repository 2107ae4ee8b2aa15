"""OpenTelemetry semantic conventions for generative AI, all stages so far, and whoever writes `gen_ai.*` by them.

Content has lived in attributes (`gen_ai.prompt`), in span events (`gen_ai.content.prompt`, then one event a message,
then `gen_ai.client.inference.operation.details`) and in `gen_ai.input.messages`, as structure or as JSON.
"""

from dataclasses import replace

from collector.attributes import Attributes
from collector.codec import Span
from collector.conventions import flattened
from collector.conventions.common import facts, first, first_id, short
from collector.conventions.documents import read_documents
from collector.conventions.reading import Dialect, Kind, SpanReading
from collector.conventions.usage import counted

_OPERATION = "gen_ai.operation.name"
_IN = "gen_ai.input.messages"
_OUT = "gen_ai.output.messages"

_KINDS = {
    "retrieval": Kind.RETRIEVAL,
    "retrieve": Kind.RETRIEVAL,
    "retriever": Kind.RETRIEVAL,
    "rerank": Kind.RERANKING,
    "reranker": Kind.RERANKING,
    "reranking": Kind.RERANKING,
    "chat": Kind.GENERATION,
    "chat_model": Kind.GENERATION,
    "llm": Kind.GENERATION,
    "text_completion": Kind.GENERATION,
    "completion": Kind.GENERATION,
    "generate_content": Kind.GENERATION,
    "embeddings": Kind.EMBEDDING,
    "embedding": Kind.EMBEDDING,
    "execute_tool": Kind.TOOL,
    "tool": Kind.TOOL,
    "vectordb": Kind.TOOL,
    "guardrail": Kind.GUARDRAIL,
    "evaluate": Kind.EVALUATION,
    "evaluation": Kind.EVALUATION,
    "evaluator": Kind.EVALUATION,
}
_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}
_MODEL = {
    "gen_ai.request.model": "gen_ai.request.model",
    "gen_ai.provider.name": "gen_ai.provider.name",
    "gen_ai.system": "gen_ai.provider.name",
    "gen_ai.prompt.name": "gen_ai.prompt.name",
    "gen_ai.prompt.version": "gen_ai.prompt.version",
}
_TOKENS = (
    ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
    ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"),
)
_FACTS = {
    Kind.GENERATION: _MODEL,
    Kind.EMBEDDING: {"gen_ai.request.model": "gen_ai.embeddings.model"},
    Kind.RERANKING: {"gen_ai.request.model": "gen_ai.reranker.model"},
    Kind.RETRIEVAL: {"gen_ai.data_source.id": "gen_ai.data_source.id"},
    None: {"gen_ai.agent.name": "gen_ai.agent.name", "gen_ai.workflow.name": "gen_ai.workflow.name"},
}


def read(span: Span) -> SpanReading | None:
    """A span with an operation name, or with a model or a choice as the first stages had it."""
    attributes = span.attributes
    operation = short(attributes.get(_OPERATION))
    if not operation and "gen_ai.request.model" not in attributes:
        return None
    kind = _KINDS.get(operation) if operation else Kind.GENERATION
    reading = SpanReading(
        kind,
        session=first_id(attributes, ("gen_ai.conversation.id", "session.id")),
        user=first_id(attributes, ("user.id", "enduser.id")),
        attributes=facts(attributes, _FACTS.get(kind, {})),
    )
    if kind is Kind.RETRIEVAL:
        return _retrieval(reading, attributes)
    if kind is Kind.TOOL:
        return replace(
            reading,
            input=attributes.get("gen_ai.tool.call.arguments"),
            output=attributes.get("gen_ai.tool.call.result"),
        )
    if kind is Kind.EMBEDDING:
        return replace(reading, query=first(attributes, ("gen_ai.embeddings.input", "gen_ai.input.text")))
    tokens = counted(attributes, *_TOKENS) if kind in (Kind.GENERATION, None) else None
    return replace(reading, input=_asked(span), output=_said(span), tokens=tokens)


def _retrieval(reading: SpanReading, attributes: Attributes) -> SpanReading:
    return replace(
        reading,
        query=first(attributes, ("gen_ai.retrieval.query.text", "gen_ai.retrieval.query")),
        documents=read_documents(attributes.get("gen_ai.retrieval.documents")),
    )


def _asked(span: Span) -> object | None:
    attributes = span.attributes
    value = first(attributes, (_IN, "gen_ai.prompt"))
    if value is None and "gen_ai.prompt.0.content" in attributes:
        value = [dict(row) for row in flattened.rows(attributes, "gen_ai.prompt").values()]
    return value if value is not None else _told(span, _IN, "gen_ai.prompt")


def _said(span: Span) -> object | None:
    attributes = span.attributes
    value = first(attributes, (_OUT, "gen_ai.completion"))
    if value is None and "gen_ai.completion.0.content" in attributes:
        rows = flattened.rows(attributes, "gen_ai.completion").values()
        value = [{"role": "assistant", **row} for row in rows]
    return value if value is not None else _told(span, _OUT, "gen_ai.completion", choices=True)


def _told(span: Span, *keys: str, choices: bool = False) -> object | None:
    """What the span's events hold under one of `keys`, or the messages that they are: the choices, or the rest."""
    messages = []
    for name, attributes in span.events:
        if not name.startswith("gen_ai."):
            continue
        value = first(attributes, keys)
        if value is not None:
            return value
        role = _EVENT_ROLES.get(name)
        if role and (name == "gen_ai.choice") is choices:
            messages.append(
                {"role": role, "content": first(attributes, ("content", "message", "gen_ai.event.content"))}
            )
    return messages or None


DIALECT = Dialect(
    name="otel_genai",
    markers=(b"gen_ai.",),
    keys=(_OPERATION, "gen_ai.request.model"),
    read=read,
    switch=(
        "set OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and "
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT"
    ),
)
