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
    kept, end = [], 0
    for start, stop in sentence_spans(text[:_LOOKED_AT]):
        if addresses_the_judge(_visible(text[start:stop])):
            kept += [text[end:start], "\n"]
            end = stop
    return "".join([*kept, text[end:]])


def _visible(text: str) -> str:
    return text if text.isascii() else INVISIBLE.sub("", text)
