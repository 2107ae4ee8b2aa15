"""Context of agents: what every tool put out before the answer, in the order of the trace."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import orjson

from collector.conventions.common import first
from collector.conventions.context import Context, ended
from collector.conventions.messages import message_text, parts_text, role
from collector.conventions.reading import Kind
from collector.conventions.tree import Node, Tree
from collector.conventions.values import clean, decode, is_masked, is_repr
from evaluators.sample import Chunk

_NAMES = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name")
_MAX_NAME = 64
_ENVELOPES = ("output", "result", "content", "text")


def with_tools(tree: Tree, context: Context, generations: Sequence[Node], max_chars: int) -> Context:
    """The context of retrievals, and between them what tools put out; each chunk's source is its `tool#call`.

    A tool's error stays: the answer may rest on it. A tool around a retrieval, and one that began after the last of
    `generations` had ended, put out nothing that the answer rests on. Long outputs are cut one by one.
    """
    tools = [node for node in tree.of_kind(Kind.TOOL) if _gives_context(node, context, generations)]
    sources = sorted([*context.sources, *tools], key=ended)
    calls: Counter[str] = Counter()
    chunks: list[Chunk] = []
    for node in sources:
        name = _name(node)
        calls[name] += 1
        label = f"{name}#{calls[name]}"
        if node in tools:
            chunks.append(_cut(_output(node, label), max_chars))
        else:
            own = (chunk for chunk in context.chunks if chunk.span_id == node.span.span_id.hex())
            chunks += (_cut(replace(chunk, source=label), max_chars) for chunk in own)
    lost = any(node.span.dropped_attributes or node.span.attributes.truncated for node in tools)
    return Context(tuple(chunks), tuple(sources), context.incomplete or bool(lost))


def _gives_context(node: Node, context: Context, generations: Sequence[Node]) -> bool:
    if node.covered or any(above.kind is Kind.TOOL or above in context.sources for above in node.ancestors()):
        return False
    if any(node in source.ancestors() for source in context.sources):
        return False
    answered = generations[-1].span.end_ns if generations else 0
    return not answered or node.span.start_ns < answered


def _name(node: Node) -> str:
    name = first(node.span.attributes, _NAMES)
    return (clean(name)[0] if isinstance(name, str) and name else clean(node.span.name)[0])[:_MAX_NAME]


def _output(node: Node, label: str) -> Chunk:
    span_id = node.span.span_id.hex()
    text, cut = _rendered(node.reading.output)
    if node.failed:
        text = "\n".join(part for part in (_error(node), text) if part)
    return Chunk(text or None, source=label, span_id=span_id, truncated=cut)


def _error(node: Node) -> str:
    for name, attributes in node.span.events:
        message = attributes.get("exception.message") if name == "exception" else None
        if isinstance(message, str) and message and not is_masked(message):
            return f"error: {clean(message)[0]}"
    kind = node.span.attributes.get("error.type")
    return f"error: {clean(kind)[0]}" if isinstance(kind, str) and kind else "error"


def _rendered(value: object) -> tuple[str, bool]:
    """The output as a model reads it: text as it is, structures as JSON; and whether it was cut."""
    decoded = decode(value)
    found = _unwrapped(decoded.value)
    if found is None or isinstance(found, bytes) or (isinstance(found, str) and (is_masked(found) or found.isspace())):
        return "", decoded.cut
    if isinstance(found, str):
        return ("", decoded.cut) if is_repr(found) and found.startswith("<") else (clean(found)[0], decoded.cut)
    dumped = orjson.dumps(found, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    return ("" if found in ({}, []) else dumped), decoded.cut


def _unwrapped(value: object) -> object:
    """What is inside a tool's message, the parts of one, or an envelope with one key."""
    if isinstance(value, Mapping):
        if role(value):
            return message_text(value)
        if len(value) == 1 and (key := next(iter(value))) in _ENVELOPES:
            return _unwrapped(decode(value[key]).value)
    if isinstance(value, list) and value and all(isinstance(one, dict) and one.get("type") == "text" for one in value):
        return parts_text(value)
    return value


def _cut(chunk: Chunk, max_chars: int) -> Chunk:
    if chunk.text is None or len(chunk.text) <= max_chars:
        return chunk
    return replace(chunk, text=chunk.text[:max_chars], truncated=True)
