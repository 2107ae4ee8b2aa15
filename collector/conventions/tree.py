"""The spans of one trace as a tree, as far as it is known: ordinary spans in between are not kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from collector.codec import Span
from collector.conventions.reading import Kind, SpanReading, State
from collector.spans import Resource

_CONTEXT = frozenset({Kind.RETRIEVAL, Kind.RERANKING})


@dataclass(slots=True, eq=False)
class Node:
    """A span in its place.

    `covered` says that a retrieval or reranking above tells what the application got.
    `aside` says that it belongs to an evaluation: nothing that the user saw.
    """

    span: Span
    resource: Resource
    reading: SpanReading
    dialects: tuple[str, ...]
    parent: "Node | None" = None
    children: list["Node"] = field(default_factory=list)
    covered: bool = False
    aside: bool = False

    @property
    def kind(self) -> Kind:
        """What the span did; a recognised span of no particular kind is a step of a chain."""
        return self.reading.kind or Kind.CHAIN

    @property
    def has_text(self) -> bool:
        """Whether any of its documents has text."""
        return any(chunk.text for chunk in self.reading.documents.chunks)

    @property
    def tells_context(self) -> bool:
        """Whether it is a retrieval or reranking that says what it found, if only that it found nothing."""
        state = self.reading.documents.state
        return self.kind in _CONTEXT and (state in (State.EMPTY, State.MASKED) or self.has_text)

    @property
    def failed(self) -> bool:
        """Whether the sender marked the span as an error."""
        return self.span.status_code == 2

    def ancestors(self) -> Iterator["Node"]:
        """The known spans above, innermost first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def below(self) -> Iterator["Node"]:
        """The known spans below, each before its own children."""
        stack = [child for child in reversed(self.children) if child.parent is self]
        while stack:
            node = stack.pop()
            yield node
            stack += (child for child in reversed(node.children) if child.parent is node)


@dataclass(frozen=True, slots=True)
class Tree:
    """All recognised spans of a trace in order of start, and the root where it was seen."""

    nodes: Sequence[Node]
    root: Node | None

    def of_kind(self, *kinds: Kind) -> Iterator[Node]:
        """The spans of some kinds that are not part of an evaluation."""
        return (node for node in self.nodes if node.kind in kinds and not node.aside)


def grow(nodes: list[Node]) -> Tree:
    """Link the nodes by their spans' parents. Whatever their order of arrival was, the tree is the same."""
    nodes.sort(key=_order)
    by_id = {node.span.span_id: node for node in nodes}
    for node in nodes:
        parent = by_id.get(node.span.parent_id)
        if parent is not None and parent is not node:
            node.parent = parent
            parent.children.append(node)
    _settle(nodes)
    root = next((node for node in nodes if not node.span.parent_id), None)
    return Tree(nodes, root)


def _order(node: Node) -> tuple[int, int, bytes]:
    return node.span.start_ns, -node.span.end_ns, node.span.span_id


def _settle(nodes: Sequence[Node]) -> None:
    """Hand down what a span means for those under it; break rings, which only a broken sender makes."""
    reached: set[int] = set()
    for start in (*(node for node in nodes if node.parent is None), *nodes):
        if id(start) in reached:
            continue
        start.parent = None
        below = [start]
        reached.add(id(start))
        while below:
            node = below.pop()
            node.aside = node.kind is Kind.EVALUATION or (node.parent is not None and node.parent.aside)
            for child in node.children:
                if id(child) not in reached:
                    reached.add(id(child))
                    child.covered = node.covered or node.tells_context
                    below.append(child)
