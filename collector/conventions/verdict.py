"""Whether a trace can be judged, and the sentence that tells an operator why not and what to set."""

from collections import Counter
from collections.abc import Iterable, Sequence

from collector.conventions.context import Context
from collector.conventions.documents import read_documents
from collector.conventions.prompt_context import SOURCE as PROMPT
from collector.conventions.reading import Documents, Kind, State, Text
from collector.conventions.registry import switch_of
from collector.conventions.tree import Node, Tree
from evaluators.sample import Readiness

_LOOKED_AT = 8
_NO_FIELD = (
    "add `content` to each recorded document, set the span attribute `retrievalContext` to the list of texts, "
    "or set `context.from_prompt` or a `chunk_store`"
)
_UNKNOWN_KEYS = "an operator rule can name the key of the text"
_STATES = {
    State.ABSENT: "the retrieval recorded no documents",
    State.MASKED: "the documents are masked",
    State.UNREADABLE: "the documents hold no text that can be read",
    State.PRESENT: "the documents have ids but no text",
    State.EMPTY: "the retrieval found nothing",
}


def readiness_of(context: Context, question: Text | None, answer: Text | None) -> Readiness:
    """What is missing first, or that nothing is."""
    if not context.sources and not context.chunks:
        return Readiness.NO_RETRIEVAL
    if not any(chunk.text for chunk in context.chunks):
        return Readiness.NO_DOCUMENTS if _found_nothing(context) else Readiness.NO_TEXT
    if answer is None:
        return Readiness.NO_ANSWER
    return Readiness.NO_QUESTION if question is None else Readiness.RAG


def reason_of(readiness: Readiness, tree: Tree, context: Context, asked: str, answered: str) -> str:
    """What was found and what is missing; `asked` and `answered` say where question and answer were found or missed."""
    if readiness is Readiness.NO_RETRIEVAL:
        return _no_retrieval(tree)
    if readiness is Readiness.NO_DOCUMENTS:
        failed = any(source.failed for source in context.sources)
        return "the retrieval failed and returned no documents" if failed else "the retrieval found nothing"
    if readiness is Readiness.NO_TEXT:
        return _no_text(context)
    if readiness is Readiness.NO_ANSWER:
        return _with_switch(_missing("answer", answered), tree.nodes)
    if readiness is Readiness.NO_QUESTION:
        return _with_switch(_missing("question", asked), tree.nodes)
    found = _count(len(context.chunks), "chunk") + " from " + _told_by(context.sources)
    if any(chunk.source == PROMPT for chunk in context.chunks):
        found = "the prompt in place of documents without text"
    if not context.sources:
        found = _count(len(context.chunks), "chunk") + " declared by the application"
    return f"{found}; question from {asked}; answer from {answered}"


def _told_by(sources: Sequence[Node]) -> str:
    tools = sum(source.kind is Kind.TOOL for source in sources)
    retrievals = _count(len(sources) - tools, "retrieval")
    if not tools:
        return retrievals
    return _count(tools, "tool call") if tools == len(sources) else f"{retrievals} and {_count(tools, 'tool call')}"


def looks_like_retrieval(tree: Tree) -> Node | None:
    """A tool, or else a step, whose result reads as documents: what an operator rule could name."""
    tools, steps = list(tree.of_kind(Kind.TOOL)), list(tree.of_kind(Kind.CHAIN))
    candidates = tools[:_LOOKED_AT] + steps[:_LOOKED_AT]
    return next((node for node in candidates if _has_documents(read_documents(node.reading.output))), None)


def _has_documents(documents: Documents) -> bool:
    return any(chunk.text and (chunk.id or chunk.score is not None or chunk.source) for chunk in documents.chunks)


def _found_nothing(context: Context) -> bool:
    return not context.chunks and all(_is_empty(source) for source in context.sources)


def _is_empty(source: Node) -> bool:
    state = source.reading.documents.state
    return state is State.EMPTY or (state is State.ABSENT and source.failed)


def _no_retrieval(tree: Tree) -> str:
    kinds = Counter(node.kind.value for node in tree.nodes)
    seen = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    sentence = f"no span is marked as a retrieval ({seen})"
    node = looks_like_retrieval(tree)
    if node is None:
        return sentence
    return f"{sentence}; {node.span.name[:80]!r} returns documents: an operator rule makes it a retrieval"


def _no_text(context: Context) -> str:
    states = {source.reading.documents.state for source in context.sources} - {State.EMPTY}
    worst = next((state for state in _STATES if state in states), State.PRESENT)
    keys = next((source.reading.documents.keys for source in context.sources if source.reading.documents.keys), ())
    sentence = _STATES[worst] + (f" (their keys: {', '.join(keys)})" if keys else "")
    if worst is State.PRESENT:
        return f"{sentence}; {_NO_FIELD}"
    return f"{sentence}; {_UNKNOWN_KEYS}" if worst is State.UNREADABLE else _with_switch(sentence, context.sources)


def _missing(what: str, where: str) -> str:
    if where.endswith("masked"):
        return f"the {what} is masked"
    return f"no {what}: {where}" if where else f"no {what} was recorded"


def _with_switch(sentence: str, nodes: Iterable[Node]) -> str:
    """The sentence, and what to set in the instrumentations at hand: of those on one span the most telling."""
    switches: dict[str, str] = {}
    for node in nodes:
        name = next((name for name in node.dialects if switch_of(name)), "")
        switches[name] = switch_of(name)
    return "; ".join([sentence, *(f"{name}: {switch}" for name, switch in switches.items() if switch)])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
