"""What the application's model calls took, each counted once."""

from collections.abc import Iterable

from collector.conventions.reading import Kind, Tokens
from collector.conventions.tree import Node, Tree
from evaluators.sample import ModelTokens

MAX_MODELS = 16

Account = dict[str | None, ModelTokens]
"""By model."""


def tokens_of(tree: Tree) -> tuple[ModelTokens, ...]:
    """An entry for each model, of at most MAX_MODELS.

    Spans around a call often repeat its counts, and an agent's sum up those of its steps. So of what a span says and
    what those under it say together the larger figure counts: neither a repeat nor a step that was lost makes a
    difference. A model call that says nothing, and has nothing said around or under it, is untold.
    """
    speaking = {id(node): node for node in tree.nodes if _speaks(node)}
    below: dict[int, Account] = {}
    total: Account = {}
    for node in sorted(speaking.values(), key=_depth, reverse=True):
        around = next((above for above in node.ancestors() if id(above) in speaking), None)
        sum_up = total if around is None else below.setdefault(id(around), {})
        _add(sum_up, _account(node, below.get(id(node), {})).values())
    return tuple(total.values())


def _speaks(node: Node) -> bool:
    reading = node.reading
    return (reading.tokens is not None or reading.kind is Kind.GENERATION) and not node.aside


def _depth(node: Node) -> int:
    return sum(1 for _ in node.ancestors())


def _account(node: Node, below: Account) -> Account:
    told = node.reading.tokens
    if told is not None:
        return _raised(below, told, _model(node, below))
    if below or node.failed:
        return below
    return {_own_model(node): ModelTokens(_own_model(node), untold=1)}


def _raised(below: Account, told: Tokens, model: str | None) -> Account:
    """What is known below, and as much more for `model` as makes up what the span itself says."""
    entries = below.values()
    more_input = told.input - sum(entry.input for entry in entries)
    more_output = told.output - sum(entry.output for entry in entries)
    known = {entry.model: ModelTokens(entry.model, entry.input, entry.output) for entry in entries if _says(entry)}
    if more_input > 0 or more_output > 0:
        _add(known, [ModelTokens(model, max(more_input, 0), max(more_output, 0))])
    return known


def _model(node: Node, below: Account) -> str | None:
    """The span's own; a sum of steps has the one that all of them have."""
    return _own_model(node) or (next(iter(below)) if len(below) == 1 else None)


def _own_model(node: Node) -> str | None:
    return node.reading.attributes.get("gen_ai.request.model")


def _says(entry: ModelTokens) -> bool:
    return bool(entry.input or entry.output)


def _add(account: Account, entries: Iterable[ModelTokens]) -> None:
    for entry in entries:
        model = entry.model if entry.model in account or len(account) < MAX_MODELS else None
        known = account.get(model, ModelTokens(model))
        account[model] = ModelTokens(
            model, known.input + entry.input, known.output + entry.output, known.untold + entry.untold
        )
