"""What the user asked and what the application answered."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from collector.conventions.context import Context
from collector.conventions.prompts import question_part
from collector.conventions.reading import Kind, Text
from collector.conventions.texts import answer_in, question_in
from collector.conventions.tree import Node, Tree

_ASKED = frozenset({Kind.CHAIN, Kind.TOOL, Kind.GENERATION, Kind.RETRIEVAL})
_ANSWERED = frozenset({Kind.CHAIN, Kind.GENERATION, Kind.RETRIEVAL})
_MOSTLY = 0.8


def question_of(tree: Tree, context: Context) -> tuple[Text | None, str]:
    """The question and where it was found: the application's input, else the retriever's query, else the embedded
    text, else the user's last message to the model.

    The first that was recorded counts. Where it is masked there is no question, even if a later one leaks it.
    """
    for where, text in _asked(tree, context):
        if text is not None:
            return (None, f"{where}, masked") if text.masked else (text, where)
    return None, ""


def _asked(tree: Tree, context: Context) -> Iterator[tuple[str, Text | None]]:
    for node in _application(tree, context.sources):
        if node.kind in _ASKED and node.kind is not Kind.RETRIEVAL:
            yield "the application's input", question_in(node.reading.input)
    for source in context.sources:
        yield "the retriever's query", question_in(source.reading.query)
        yield "the retriever's query", _inner_query(source)
    if context.sources:
        for node in tree.of_kind(Kind.EMBEDDING):
            yield "the embedded text", question_in(node.reading.query)
    for node in reversed(list(tree.of_kind(Kind.GENERATION))):
        text = question_in(node.reading.input)
        # A prompt template repeats the retrieved text: such a message is not what the user asked.
        if text is None or not any(chunk.text and chunk.text in text.value for chunk in context.chunks):
            part = question_part(text.value) if text is not None else ""
            yield "the last user message", replace(text, value=part, plain=False) if text and part else text


def _inner_query(source: Node) -> Text | None:
    for node in source.below():
        if node.kind is Kind.RETRIEVAL and (found := question_in(node.reading.query)):
            return found
    return None


def answer_of(tree: Tree, context: Context) -> tuple[Text | None, str]:
    """The answer and where it was found: the application's output, or what the model said last.

    Both are read and plain text is preferred: an application's output may be a structure or a Python object, and the
    model's last words may be a note to itself.
    """
    output = _output(tree, context)
    if output is not None and (output.masked or output.plain):
        return _told(output, "the application's output")
    application = _application(tree, context.sources)
    if output is None and application and application[0].failed:
        return None, "the application failed"
    said = [text for node in generations_of(tree, context) if (text := answer_in(node.reading.output))]
    said = [text for text in said if text.masked or not _is_context(text, context, said_by_model=True)]
    last = said[-1] if said else None
    if output is not None and (last is None or not last.plain or any(_agree(output, text) for text in said)):
        return _told(output, "the application's output")
    return _told(last, "the model's last output")


def _told(text: Text | None, where: str) -> tuple[Text | None, str]:
    if text is not None and text.masked:
        return None, f"{where}, masked"
    return text, where if text else ""


def _output(tree: Tree, context: Context) -> Text | None:
    generates = any(True for _ in tree.of_kind(Kind.GENERATION))
    for node in (*_application(tree, context.sources), *context.sources):
        if node.kind not in _ANSWERED or (generates and not _may_answer(node, tree, context)):
            continue
        text = answer_in(node.reading.output)
        if text is not None and (text.masked or not _is_context(text, context, said_by_model=generates)):
            return text
    return None


def _may_answer(node: Node, tree: Tree, context: Context) -> bool:
    """Whether the node's output is what its model calls led to: of other steps the output is an intermediate one."""
    return node is tree.root or node in context.sources or _has_generation(node)


def _has_generation(node: Node) -> bool:
    return any(inner.kind is Kind.GENERATION for inner in node.below())


def _application(tree: Tree, sources: Sequence[Node]) -> list[Node]:
    """The spans that stand for the application, outermost first: the root, then what the retrieval hangs under."""
    above = list(sources[0].ancestors())[::-1] if sources else []
    if tree.root is not None and tree.root not in above:
        above.insert(0, tree.root)
    return [node for node in above if not node.aside]


def generations_of(tree: Tree, context: Context) -> list[Node]:
    """The model's calls that may have made the answer, in the order of their ends.

    Not those within a retrieval (query rewriting, scoring), nor those that ended before it began, and those of
    guardrails only where there are no others.
    """
    sources = context.sources
    began = min((source.span.start_ns for source in sources), default=0)
    clocks = {_clock(source) for source in sources}
    within = {id(node) for source in sources if not source.covered for node in source.below()}
    found = [
        node
        for node in tree.of_kind(Kind.GENERATION)
        if not node.failed
        and id(node) not in within
        and (_clock(node) not in clocks or (node.span.end_ns or node.span.start_ns) >= began)
    ]
    found.sort(key=lambda node: (node.span.end_ns or node.span.start_ns, node.span.start_ns, node.span.span_id))
    open_ones = [node for node in found if not _is_guarded(node)]
    return open_ones or found


def _clock(node: Node) -> tuple[str, str | None]:
    """Times can be compared within one process only: clocks are hours apart at times."""
    return node.resource.service, node.resource.attributes.get("service.instance.id")


def _is_guarded(node: Node) -> bool:
    return any(above.kind is Kind.GUARDRAIL for above in node.ancestors())


def _is_context(text: Text, context: Context, *, said_by_model: bool) -> bool:
    """Whether the text is just the retrieved documents again, or a prompt around them."""
    texts = [chunk.text for chunk in context.chunks if chunk.text]
    if not texts or (len(texts) == 1 and said_by_model) or not all(chunk in text.value for chunk in texts):
        return False
    return sum(map(len, texts)) >= _MOSTLY * len(text.value)


def _agree(one: Text, other: Text) -> bool:
    return one.value.strip() in other.value or other.value.strip() in one.value
