"""Text that gives orders to a judge is no evidence and no claim: it is left out before anything is compared."""

import re

from evaluators.injection import addresses_the_judge
from evaluators.lexical.scripts import visible
from evaluators.lexical.sentences import sentence_spans

# Instructions beyond this are not looked for: nothing beyond it is judged either.
_LOOKED_AT = 65_536

# Marks of a chat turn, with the role that some put right behind: data sets and logs hold them around sentences that are
# true all the same.
_CHAT_TOKEN = re.compile(
    r"(?:<[|\uff5c][^<>|\uff5c\n]{1,40}[|\uff5c]>|\[/?INST\]|<</?SYS>>|</?(?:start|end)_of_turn>)"
    r"(?:(?:system|developer|user|assistant|model|tool)(?![^\s<]))?"
)


def without_instructions(text: str) -> str:
    """The text with a line break for every sentence that addresses a judge, and for every mark of a chat turn.

    The same object where there is none.
    """
    head, tail = text[:_LOOKED_AT], text[_LOOKED_AT:]
    if not addresses_the_judge(visible(head)):
        return text
    head = _CHAT_TOKEN.sub("\n", head)
    text = head + tail
    # An order may be spread over lines, each of which alone is none.
    return _purged(text, head) or _purged(text, head.replace("\n", " ")) or text


def _purged(text: str, head: str) -> str | None:
    """The text without the sentences of `head` that give orders; None where there are none."""
    kept, end = [], 0
    for start, stop in sentence_spans(head):
        if addresses_the_judge(visible(head[start:stop])):
            kept += [text[end:start], "\n"]
            end = stop
    return "".join([*kept, text[end:]]) if kept else None
