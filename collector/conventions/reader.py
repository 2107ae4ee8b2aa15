"""From the spans of a closed trace to the sample that is judged, whatever instrumented the application."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from collector.codec import decode_span
from collector.conventions import origin
from collector.conventions.agentic import with_tools
from collector.conventions.context import Context, context_of, cut_at
from collector.conventions.context_settings import ContextSettings
from collector.conventions.dialogue import answer_of, generations_of, question_of
from collector.conventions.limits import length_limit
from collector.conventions.prompt_context import with_prompt
from collector.conventions.reading import Documents, Text
from collector.conventions.registry import DIALECTS, markers, read_span
from collector.conventions.rules import OperatorRule, rule_markers
from collector.conventions.tokens import tokens_of
from collector.conventions.tree import Node, Tree, grow
from collector.conventions.verdict import readiness_of, reason_of
from collector.spans import ClosedTrace, KeptSpan
from evaluators.errors import PermanentError
from evaluators.sample import RagSample, Readiness

RULE = "operator_rule"
"""The name under which a span that a rule matched lists its dialect."""


@dataclass(frozen=True, slots=True)
class Examination:
    """A sample, and how it came about: the spans as they were read, and those that gave the chunks."""

    sample: RagSample
    tree: Tree
    sources: tuple[Node, ...] = ()


class TraceReader:
    """Reads closed traces. Never raises: a span that cannot be read is left out, and the reason says so.

    `rules` name retrievals that no dialect marks; the first rule that fits a span wins over its dialects. `settings`
    say where else context may be taken from.
    """

    def __init__(self, rules: Sequence[OperatorRule] = (), settings: ContextSettings | None = None) -> None:
        self._rules = tuple(rules)
        self._settings = settings or ContextSettings()

    @property
    def markers(self) -> tuple[bytes, ...]:
        """Byte strings: a span that holds none of them tells this reader nothing."""
        known = markers(DIALECTS)
        return known + rule_markers(self._rules, known)

    def read(self, trace: ClosedTrace) -> RagSample:
        """The sample in the trace; its readiness and reason say what it lacks."""
        return self.examine(trace).sample

    def examine(self, trace: ClosedTrace) -> Examination:
        """The sample with everything that it was read from."""
        nodes, unread = self._nodes(trace.spans)
        if not nodes:
            return Examination(_nothing(trace, unread), Tree((), None))
        tree = grow(nodes)
        limit = length_limit(nodes)
        context = self._context(tree)
        context = context if limit is None else cut_at(context, limit)
        question, asked = question_of(tree, context)
        if self._settings.from_prompt:
            context = with_prompt(context, generations_of(tree, context), question, self._settings.max_chars_per_source)
        answer, answered = answer_of(tree, context)
        readiness = readiness_of(context, question, answer)
        reason = reason_of(readiness, tree, context, asked, answered)
        sample = RagSample(
            trace_id=trace.trace_id.hex(),
            service=origin.service_of(tree),
            readiness=readiness,
            question=question.value if question else None,
            chunks=context.chunks,
            answer=answer.value if answer else None,
            session=origin.first_said(tree, session=True),
            user=origin.first_said(tree, session=False),
            incomplete=bool(trace.dropped or unread) or context.incomplete or _is_cut(limit, question, answer),
            excluded=origin.exclusion(tree),
            dialects=_dialects(nodes),
            reason=_with_losses(reason, trace.dropped, unread),
            attributes=origin.facts_of(tree),
            duration_s=origin.duration_of(tree),
            revision=trace.revision,
            span_id=(tree.root or tree.nodes[0]).span.span_id.hex(),
            tokens=tokens_of(tree),
        )
        return Examination(sample, tree, context.sources)

    def _context(self, tree: Tree) -> Context:
        context = context_of(tree)
        if self._settings.agentic and self._settings.is_agentic(origin.service_of(tree)):
            answering = generations_of(tree, context)
            context = with_tools(tree, context, answering, self._settings.max_chars_per_source)
        return _with_explicit(context, tree)

    def _nodes(self, spans: Sequence[KeptSpan]) -> tuple[list[Node], int]:
        """The recognised spans, and how many could not be read."""
        nodes: dict[bytes, Node] = {}
        unread = 0
        for kept in spans:
            try:
                node = self._node(kept)
            except PermanentError:
                unread += 1
                continue
            if node is not None and _replaces(node, nodes.get(node.span.span_id)):
                nodes[node.span.span_id] = node
        return list(nodes.values()), unread

    def _node(self, kept: KeptSpan) -> Node | None:
        span = decode_span(kept.raw)
        reading, names = read_span(span)
        for rule in self._rules:
            if rule.match.fits(span):
                return Node(span, kept.resource, rule.apply(span, reading), (RULE, *names))
        return None if reading is None else Node(span, kept.resource, reading, names)


def _replaces(node: Node, other: Node | None) -> bool:
    """Of two spans of one id the one that ended later counts: some SDKs export a span at its start too."""
    return other is None or (node.span.end_ns, len(node.span.attributes)) > (
        other.span.end_ns,
        len(other.span.attributes),
    )


def _with_explicit(context: Context, tree: Tree) -> Context:
    """Context that the application declared for the trace wins over what was recorded."""
    nodes = tree.nodes if tree.root is None else (tree.root, *tree.nodes)
    declared: Documents | None = next((node.reading.explicit for node in nodes if node.reading.explicit), None)
    if declared is None:
        return context
    return replace(context, chunks=declared.chunks, incomplete=declared.truncated)


def _dialects(nodes: Sequence[Node]) -> tuple[str, ...]:
    seen = {name for node in nodes for name in node.dialects}
    order = (RULE, *(dialect.name for dialect in DIALECTS))
    return tuple(name for name in order if name in seen)


def _is_cut(limit: int | None, *texts: Text | None) -> bool:
    return any(text is not None and (text.cut or len(text.value) == limit) for text in texts)


def _with_losses(reason: str, dropped: int, unread: int) -> str:
    losses = [f"{dropped} spans over the limit were dropped"] * bool(dropped)
    losses += [f"{unread} spans could not be read"] * bool(unread)
    return "; ".join([reason, *losses])


def _nothing(trace: ClosedTrace, unread: int) -> RagSample:
    return RagSample(
        trace_id=trace.trace_id.hex(),
        service=trace.spans[0].resource.service if trace.spans else "",
        readiness=Readiness.NO_RETRIEVAL,
        incomplete=bool(trace.dropped or unread),
        reason=_with_losses("no span belongs to a known dialect", trace.dropped, unread),
        revision=trace.revision,
    )
