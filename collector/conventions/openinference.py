"""OpenInference: Phoenix, Arize, and the instrumentations of LangChain, LlamaIndex, Haystack, DSPy, OpenAI ..."""

from dataclasses import replace

from collector.attributes import Attributes
from collector.codec import Span
from collector.conventions import flattened
from collector.conventions.common import SESSION_KEYS, USER_KEYS, facts, first_id, member_id, short
from collector.conventions.documents import documents_of, read_documents
from collector.conventions.reading import ABSENT, Dialect, Documents, Kind, SpanReading, State
from collector.conventions.usage import counted
from collector.conventions.values import decode

MAX_PARTS = 16
"""Messages of an output, and parts of a message, that are asked for."""

_KIND = "openinference.span.kind"
_RETRIEVED = "retrieval.documents"
_FIRST_DOCUMENT = (f"{_RETRIEVED}.0.document.content", f"{_RETRIEVED}.0.document.id")
_RERANKED = "reranker.output_documents"
_CANDIDATES = "reranker.input_documents"
_SAID = "llm.output_messages"
_EMBEDDED = "embedding.embeddings.{}.embedding.text"
_TOKENS = ("llm.token_count.prompt", "llm.token_count.completion")

_KINDS = {
    "retriever": Kind.RETRIEVAL,
    "reranker": Kind.RERANKING,
    "llm": Kind.GENERATION,
    "embedding": Kind.EMBEDDING,
    "tool": Kind.TOOL,
    "prompt": Kind.PROMPT,
    "guardrail": Kind.GUARDRAIL,
    "evaluator": Kind.EVALUATION,
}
_FACTS = {
    Kind.GENERATION: {
        "llm.model_name": "gen_ai.request.model",
        "llm.provider": "gen_ai.provider.name",
        "llm.prompt_template.version": "gen_ai.prompt.version",
    },
    Kind.EMBEDDING: {"embedding.model_name": "gen_ai.embeddings.model"},
    Kind.RERANKING: {"reranker.model_name": "gen_ai.reranker.model"},
    None: {"agent.name": "gen_ai.agent.name"},
}


def read(span: Span) -> SpanReading | None:
    """A span with an OpenInference kind, or with flattened documents and no kind."""
    attributes = span.attributes
    stamp = short(attributes.get(_KIND))
    kind = _kind(stamp, span)
    asked, said = attributes.get("input.value"), attributes.get("output.value")
    query, documents, candidates = None, ABSENT, ABSENT
    if kind is Kind.RETRIEVAL:
        query, documents = asked, _documents(attributes, _RETRIEVED, said)
        # A service that retrieves and generates in one call is a retriever with a model, and its output the answer.
        said = None if stamp == "retriever" and "llm.model_name" not in attributes else said
    elif kind is Kind.RERANKING:
        query = attributes.get("reranker.query") or asked
        documents, candidates, said = _documents(attributes, _RERANKED, said), _listed(attributes, _CANDIDATES), None
    elif kind is Kind.GENERATION:
        said = _said(span) or said
    elif kind is Kind.EMBEDDING:
        query = _embedded(attributes)
    return SpanReading(
        kind,
        query=query,
        documents=documents,
        candidates=candidates,
        input=asked,
        output=said,
        session=first_id(attributes, ("session.id",)) or member_id(attributes.get("metadata"), SESSION_KEYS),
        user=first_id(attributes, ("user.id",)) or member_id(attributes.get("metadata"), USER_KEYS),
        application=first_id(attributes, ("openinference.project.name",)),
        attributes=facts(attributes, _FACTS.get(kind, {})),
        tokens=counted(attributes, _TOKENS) if kind in (Kind.GENERATION, None) else None,
    )


def _kind(stamp: str, span: Span) -> Kind | None:
    attributes = span.attributes
    kind = _KINDS.get(stamp)
    # A retriever whose class name holds "agent" is stamped AGENT: its documents say more than the stamp.
    if kind in (None, Kind.TOOL) and _has_documents(span):
        return Kind.RETRIEVAL
    # Haystack's prompt builders are stamped LLM, and what they put out is the prompt.
    if kind is Kind.GENERATION and "llm.prompt_template.template" in attributes and _is_no_model(attributes):
        return Kind.PROMPT
    return kind


def _has_documents(span: Span) -> bool:
    attributes = span.attributes
    if _RETRIEVED in attributes or any(key in attributes for key in _FIRST_DOCUMENT):
        return True
    # The first ones go missing only where the sender dropped attributes.
    return bool(span.dropped_attributes) and flattened.is_present(attributes, _RETRIEVED)


def _is_no_model(attributes: Attributes) -> bool:
    signs = ("llm.model_name", "llm.invocation_parameters", "llm.provider", f"{_SAID}.0.message.role")
    return not any(key in attributes for key in signs)


def _documents(attributes: Attributes, prefix: str, output: object) -> Documents:
    rows = flattened.rows(attributes, prefix)
    if rows and not any("document.id" in row for row in rows.values()):
        _add_ids(rows, output)
    listed = _of_rows(rows) if rows else _listed(attributes, prefix)
    # Masked documents are not recovered from an output that nobody thought of masking.
    return listed if listed.state in (State.PRESENT, State.MASKED, State.EMPTY) else read_documents(output) or listed


def _listed(attributes: Attributes, prefix: str) -> Documents:
    """Documents as flattened attributes, or as one attribute that holds them all."""
    if prefix in attributes:
        return read_documents(attributes.get(prefix))
    return _of_rows(flattened.rows(attributes, prefix))


def _of_rows(rows: flattened.Rows) -> Documents:
    if not rows:
        return ABSENT
    documents = documents_of(rows.values())
    return replace(documents, truncated=True) if flattened.has_gaps(rows) else documents


def _add_ids(rows: flattened.Rows, output: object) -> None:
    """LangChain's documents have their ids only in the span's output, by position."""
    whole = decode(output).value if isinstance(output, str) and output.startswith(("{", "[")) else None
    listed = whole.get("documents") if isinstance(whole, dict) else whole
    for index, entry in enumerate(listed if isinstance(listed, list) else ()):
        row = rows.get(index)
        if row and isinstance(entry, dict) and entry.get("page_content") == row.get("document.content"):
            row["document.id"] = entry.get("id")


def _said(span: Span) -> object | None:
    """What the model said, as messages; None where that was not recorded apart from the output."""
    attributes = span.attributes
    if span.dropped_attributes and f"{_SAID}.0.message.content" not in attributes:
        rows = flattened.rows(attributes, _SAID)
        return [{"role": "assistant", **row} for row in rows.values()] or None
    messages = []
    for index in range(MAX_PARTS):
        content = _content(attributes, f"{_SAID}.{index}.message")
        if content is None and f"{_SAID}.{index}.message.role" not in attributes:
            break
        messages.append({"role": "assistant", "content": content})
    return messages or attributes.get("llm.choices.0.completion.text")


def _content(attributes: Attributes, prefix: str) -> object | None:
    content = attributes.get(f"{prefix}.content")
    if content is not None:
        return content
    parts = []
    for index in range(MAX_PARTS):
        if f"{prefix}.contents.{index}.message_content.type" not in attributes:
            break
        parts.append(attributes.get(f"{prefix}.contents.{index}.message_content.text"))
    return [text for text in parts if isinstance(text, str)] or None


def _embedded(attributes: Attributes) -> object | None:
    """The embedded text, where it is one: several are documents on their way into the store."""
    if _EMBEDDED.format(1) in attributes:
        return None
    return attributes.get(_EMBEDDED.format(0)) or attributes.get("input.value")


DIALECT = Dialect(
    name="openinference",
    markers=(b"openinference.span.kind", b"retrieval.documents."),
    keys=(_KIND, *_FIRST_DOCUMENT),
    read=read,
    switch=(
        "record input.value, output.value and retrieval.documents.N.document.content; unset OPENINFERENCE_HIDE_INPUTS,"
        " OPENINFERENCE_HIDE_OUTPUTS and OPENINFERENCE_HIDE_RETRIEVAL_DOCUMENTS"
    ),
)
