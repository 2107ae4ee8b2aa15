"""Retrieved text out of the prompt that the model got, for instrumentations that give ids without text."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from collector.conventions.context import Context
from collector.conventions.messages import ASSISTANT, USER, conversation, message_text, parts_text, role
from collector.conventions.prompts import context_part
from collector.conventions.reading import State, Text
from collector.conventions.tree import Node
from collector.conventions.values import clean, decode, is_masked
from evaluators.sample import Chunk

SOURCE = "prompt"
"""What stands as the source of such a chunk."""

_SYSTEM = "gen_ai.system_instructions"


def with_prompt(context: Context, generations: Sequence[Node], question: Text | None, max_chars: int) -> Context:
    """The context, and where nothing in it has text and nobody hid it, one chunk of the last prompt.

    `generations` are the model's calls that may have made the answer, in order. The documents' ids stay before it.
    """
    if not _is_wanted(context):
        return context
    for node in reversed(generations):
        text = _retrieved(node, question.value if question else "")
        if text:
            cut = len(text) > max_chars
            chunk = Chunk(text[:max_chars], source=SOURCE, span_id=node.span.span_id.hex(), truncated=cut)
            return replace(context, chunks=(*context.chunks, chunk), incomplete=context.incomplete or cut)
    return context


def _is_wanted(context: Context) -> bool:
    states = {source.reading.documents.state for source in context.sources}
    if not states or State.MASKED in states or states == {State.EMPTY}:
        return False
    return not any(chunk.text for chunk in context.chunks)


def _retrieved(node: Node, question: str) -> str:
    """What a prompt says besides the question: the part that is labelled as context, or else all of it."""
    texts = [clean(text)[0] for text in _prompt(node) if not is_masked(text)]
    labelled = [part for text in texts if (part := context_part(text)) is not None]
    parts = labelled or [text.replace(question, "") if question else text for text in texts]
    return "\n\n".join(part for part in map(str.strip, parts) if part)


def _prompt(node: Node) -> Iterable[str]:
    """What a model was told for this answer: instructions, tool results and the user's last message."""
    instructions = decode(node.span.attributes.get(_SYSTEM)).value
    if isinstance(instructions, list) and (text := parts_text(instructions)):
        yield text
    value = decode(node.reading.input).value
    if isinstance(value, str):
        yield value
        return
    messages = conversation(value)
    last_user = max((at for at, message in enumerate(messages) if role(message) in USER), default=-1)
    for at, message in enumerate(messages):
        who = role(message)
        if who in ASSISTANT or (who in USER and at != last_user):
            continue
        if text := message_text(message):
            yield text
