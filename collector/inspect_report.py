"""What the monitor sees, for people: per trace the spans, what was found in them, and what to set."""

from collections import Counter
from collections.abc import Iterable

import yaml
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree as Branch

from collector.conventions.reader import Examination
from collector.conventions.reading import Kind, State
from collector.conventions.tree import Node
from collector.conventions.verdict import looks_like_retrieval
from collector.inspection import Inspection
from collector.plural import counted
from evaluators.sample import ModelTokens, RagSample, Readiness

MAX_SHOWN = 160
MAX_SPANS_SHOWN = 60
MAX_CHUNKS_SHOWN = 10

_NAMES = ("gen_ai.tool.name", "ai.toolCall.name", "tool.name", "traceloop.entity.name")
_STYLES = {Readiness.RAG: "bold green", Readiness.NO_RETRIEVAL: "bold yellow"}
_CONTEXT = frozenset({Kind.RETRIEVAL, Kind.RERANKING})


def print_report(found: Inspection, console: Console | None = None) -> None:
    """Print every trace, then the sum."""
    console = console or Console(highlight=False)
    for examination in found.examinations:
        console.print(*_trace(examination), sep="\n")
        console.print()
    console.print(_sum(found))


def _trace(examination: Examination) -> Iterable[Text | Table | Branch]:
    sample = examination.sample
    style = _STYLES.get(sample.readiness, "bold red")
    yield Text.assemble((sample.readiness.upper(), style), f"  {sample.trace_id}  ", (_shown(sample.service), "bold"))
    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in _facts(sample):
        facts.add_row(f"  {name}", Text(value) if value else Text("none", style="red"))
    yield facts
    yield _spans(examination)
    yield from _advice(examination)


def _facts(sample: RagSample) -> Iterable[tuple[str, str]]:
    what, *more = sample.reason.split("; ")
    yield "reason", what
    yield from (("", line) for line in more)
    yield "question", _shown(sample.question or "")
    if not sample.chunks:
        yield "chunks", ""
    for rank, chunk in enumerate(sample.chunks[:MAX_CHUNKS_SHOWN], start=1):
        score = "" if chunk.score is None else f" ({chunk.score:.4g})"
        yield f"chunk {rank}", f"[{_shown(chunk.id or '-')}]{score} {_shown(chunk.text or 'no text')}"
    if len(sample.chunks) > MAX_CHUNKS_SHOWN:
        yield "", f"and {len(sample.chunks) - MAX_CHUNKS_SHOWN} more"
    yield "answer", _shown(sample.answer or "")
    if sample.session:
        yield "session", _shown(sample.session)
    yield from (("tokens", _tokens(entry)) for entry in sample.tokens)
    yield from (("attribute", f"{name}={_shown(value)}") for name, value in sample.attributes.items())
    if sample.incomplete:
        yield "note", "incomplete: something was lost or cut on the way"
    if sample.excluded:
        yield "note", f"not judged by default: {_shown(sample.excluded)}"


def _tokens(entry: ModelTokens) -> str:
    """What a cost is computed from, or why it cannot be."""
    untold = f", and {counted(entry.untold, 'call')} without tokens" if entry.untold else ""
    return f"{entry.input} in, {entry.output} out{untold}: {_shown(entry.model or 'no model named')}"


def _spans(examination: Examination) -> Branch:
    nodes = examination.tree.nodes
    top = Branch(Text(counted(len(nodes), "recognised span"), style="dim"), guide_style="dim")
    branches: dict[int, Branch] = {}
    for node in _in_tree_order(nodes)[:MAX_SPANS_SHOWN]:
        above = branches.get(id(node.parent), top)
        branches[id(node)] = above.add(_span(node, is_source=node in examination.sources))
    if len(nodes) > MAX_SPANS_SHOWN:
        top.add(Text(f"and {len(nodes) - MAX_SPANS_SHOWN} more", style="dim"))
    return top


def _in_tree_order(nodes: Iterable[Node]) -> list[Node]:
    ordered = []
    for node in nodes:
        if node.parent is None:
            ordered += [node, *node.below()]
    return ordered


def _span(node: Node, *, is_source: bool) -> Text:
    label = Text.assemble(
        (_shown(node.span.name)[:60], "bold" if is_source else ""), "  ", (node.kind.value, "cyan"), "  ",
        (", ".join(node.dialects), "dim"),
    )  # fmt: skip
    if node.kind in _CONTEXT:
        documents = node.reading.documents
        count = (
            counted(len(documents.chunks), "document")
            if documents.state is State.PRESENT
            else f"documents {documents.state}"
        )
        label.append(f"  {count}", style="green" if is_source else "dim")
    if is_source:
        label.append("  <- the context", style="green")
    elif node.covered and node.kind in _CONTEXT:
        label.append("  within another retrieval", style="dim")
    if node.failed:
        label.append("  failed", style="red")
    return label


def _advice(examination: Examination) -> Iterable[Text]:
    if examination.sample.readiness is not Readiness.NO_RETRIEVAL:
        return
    node = looks_like_retrieval(examination.tree)
    if node is not None:
        yield Text("  If that is the retrieval, put this into the configuration:", style="yellow")
        yield Text(suggested_rule(node))


def suggested_rule(node: Node) -> str:
    """A configuration with an operator rule that makes spans like this one retrievals."""
    attributes = node.span.attributes
    named = next(((key, value) for key in _NAMES if isinstance(value := attributes.get(key), str)), None)
    match = {"name": node.span.name} if named is None else {"attributes": dict([named])}
    return str(yaml.safe_dump({"operator_rules": [{"match": match}]}, sort_keys=False, allow_unicode=True)).rstrip()


def advice_on_unmarked(names: Iterable[str]) -> str:
    """What to do where no span is recognised; `names` are those of some spans."""
    return (
        f"No span carries a marker that groundwatch knows (seen: {', '.join(_shown(name)[:60] for name in names)}). "
        "Mark the retrieval with openinference.span.kind=RETRIEVER or gen_ai.operation.name=retrieval, put the chunks "
        "into retrievalContext, or name the span with an operator rule: deploy/docs/connect-your-app.md"
    )


def _sum(found: Inspection) -> Text:
    verdicts = Counter(examination.sample.readiness.value for examination in found.examinations)
    recognised = sum(len(examination.tree.nodes) for examination in found.examinations)
    traces = counted(len(found.examinations), "trace")
    parts = [f"{counted(found.received, 'span')}, {recognised} recognised, {traces}"]
    parts += [f"{count} {verdict}" for verdict, count in sorted(verdicts.items())]
    parts += [f"{counted(count, 'span')} not taken ({reason})" for reason, count in sorted(found.rejected.items())]
    return Text("; ".join(parts), style="bold")


def _shown(text: str) -> str:
    """One line that a terminal shows as it is: no control characters, and not for ever."""
    line = "".join(sign if sign.isprintable() else " " for sign in " ".join(text.split()))
    return line if len(line) <= MAX_SHOWN else f"{line[:MAX_SHOWN]}…"
