"""Which of the retrieved documents the model saw."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from collector.conventions.reading import Documents, Kind, State
from collector.conventions.tree import Node, Tree
from evaluators.sample import Chunk


@dataclass(frozen=True, slots=True)
class Context:
    """The chunks in the order in which the model got them, and the spans that told, in the order of their ends."""

    chunks: tuple[Chunk, ...]
    sources: tuple[Node, ...]
    incomplete: bool = False


def context_of(tree: Tree) -> Context:
    """All retrievals of the trace, without repeats.

    Of nested ones the outermost that tells its documents counts; a reranking stands for the retrievals it was given.
    """
    sources: list[Node] = []
    for node in sorted(tree.of_kind(Kind.RETRIEVAL, Kind.RERANKING), key=ended):
        if node.covered:
            continue
        if node.kind is Kind.RETRIEVAL:
            sources.append(node)
        elif _is_usable(node.reading.documents):
            sources = _after_reranking(sources, node)
    sources = _without_shells(sources)
    return Context(_chunks(sources), tuple(sources), any(_lost_some(source) for source in sources))


def cut_at(context: Context, limit: int) -> Context:
    """The context, with the chunks flagged whose text ends at the sender's length limit."""
    cut = [chunk.text is not None and len(chunk.text) == limit for chunk in context.chunks]
    if not any(cut):
        return context
    chunks = [
        replace(chunk, truncated=True) if flag else chunk for chunk, flag in zip(context.chunks, cut, strict=True)
    ]
    return replace(context, chunks=tuple(chunks), incomplete=True)


def ended(node: Node) -> tuple[int, int, bytes]:
    """What spans are put in order of their ends by."""
    return node.span.end_ns or node.span.start_ns, node.span.start_ns, node.span.span_id


def _is_usable(documents: Documents) -> bool:
    """Whether a reranking says what it put out; without its documents the order before it is the best there is."""
    return documents.state in (State.PRESENT, State.EMPTY) or bool(documents.chunks)


def _after_reranking(sources: Sequence[Node], reranking: Node) -> list[Node]:
    given = _given(sources, reranking)
    if any(source.reading.documents.state is State.MASKED for source in given):
        # What the application hid in the retrieval is not recovered from where it forgot to hide it.
        _retell(reranking, (replace(chunk, text=None, masked=True) for chunk in reranking.reading.documents.chunks))
    else:
        _retell(reranking, _completed(reranking.reading.documents.chunks, given))
    return [source for source in sources if source not in given] + [reranking]


def _given(sources: Sequence[Node], reranking: Node) -> list[Node]:
    """The retrievals whose documents were reranked: those that its input shows, else those next to it in the tree."""
    earlier = [source for source in sources if source.span.start_ns <= reranking.span.start_ns]
    shown = _keys(reranking.reading.candidates.chunks)
    matching = [source for source in earlier if shown & _keys(source.reading.documents.chunks)]
    if matching:
        return matching
    for ancestor in reranking.ancestors():
        near = [source for source in earlier if ancestor in source.ancestors()]
        if near:
            return near
    return earlier


def _completed(chunks: Iterable[Chunk], given: Iterable[Node]) -> Iterable[Chunk]:
    """Rerankings that put out ids only, or texts only, completed from what they were given."""
    known = [chunk for source in given for chunk in source.reading.documents.chunks if chunk.id and chunk.text]
    texts = {chunk.id: chunk.text for chunk in known}
    ids = {chunk.text: chunk.id for chunk in known}
    for chunk in chunks:
        if chunk.text is None and chunk.id in texts:
            yield replace(chunk, text=texts[chunk.id])
        elif chunk.id is None and chunk.text in ids:
            yield replace(chunk, id=ids[chunk.text])
        elif chunk.id is None and chunk.text in texts:
            yield replace(chunk, id=chunk.text, text=texts[chunk.text])
        else:
            yield chunk


def _retell(node: Node, chunks: Iterable[Chunk]) -> None:
    documents = replace(node.reading.documents, chunks=tuple(chunks))
    node.reading = replace(node.reading, documents=documents)


def _without_shells(sources: Sequence[Node]) -> list[Node]:
    """Drop retrievals without text around or within another one: the inner one where it has text, else the outer one
    speaks for both."""
    told = [source for source in sources if source.tells_context]
    around = {id(above) for source in told for above in source.ancestors()}
    everyone = {id(source) for source in sources}
    return [
        source
        for source in sources
        if source in told
        or (id(source) not in around and not any(id(above) in everyone for above in source.ancestors()))
    ]


def _chunks(sources: Iterable[Node]) -> tuple[Chunk, ...]:
    chunks: list[Chunk] = []
    seen: set[str] = set()
    for source in sources:
        documents = source.reading.documents
        span_id = source.span.span_id.hex()
        fresh = [chunk for chunk in documents.chunks if _key(chunk) is None or _key(chunk) not in seen]
        chunks += (replace(chunk, span_id=span_id) for chunk in fresh)
        seen |= _keys(documents.chunks)
    named = {chunk.id for chunk in chunks if chunk.text and chunk.id}
    return tuple(chunk for chunk in chunks if chunk.text or chunk.id not in named)


def _key(chunk: Chunk) -> str | None:
    return chunk.text or chunk.id


def _keys(chunks: Iterable[Chunk]) -> set[str]:
    return {key for chunk in chunks if (key := _key(chunk)) is not None}


def _lost_some(node: Node) -> bool:
    documents = node.reading.documents
    lossy = bool(node.span.dropped_attributes) or node.span.attributes.truncated
    return lossy or documents.truncated or any(chunk.truncated for chunk in documents.chunks)
