"""Text that gives orders to a judge is no evidence and no claim: it is left out before anything is compared."""

from evaluators.injection import addresses_the_judge
from evaluators.lexical.scripts import INVISIBLE
from evaluators.lexical.sentences import sentence_spans

# Instructions beyond this are not looked for: nothing beyond it is judged either.
_LOOKED_AT = 65_536


def without_instructions(text: str) -> str:
    """The text with a line break for every sentence that addresses a judge; the same object where there is none."""
    seen = _visible(text[:_LOOKED_AT])
    if not addresses_the_judge(seen):
        return text
    head = text[:_LOOKED_AT]
    # An order may be spread over lines, each of which alone is none.
    return _purged(text, head) or _purged(text, head.replace("\n", " ")) or text


def _purged(text: str, head: str) -> str | None:
    """The text without the sentences of `head` that give orders; None where there are none."""
    kept, end = [], 0
    for start, stop in sentence_spans(head):
        if addresses_the_judge(_visible(head[start:stop])):
            kept += [text[end:start], "\n"]
            end = stop
    return "".join([*kept, text[end:]]) if kept else None


def _visible(text: str) -> str:
    return text if text.isascii() else INVISIBLE.sub("", text)
