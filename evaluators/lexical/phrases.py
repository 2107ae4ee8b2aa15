"""What people and models write around a claim without claiming anything: lead-ins, offers, greetings."""

import re

from evaluators.lexical import tables

_LEAD_IN = tables.pattern("lead_ins")
_ASIDE = tables.pattern("asides")
_STATING_QUESTION = re.compile(
    r"(?:\w{1,8}[,!.] )?(?:did|do) you know (?:that )?(?!what|who|where|when|why|how|if|whether|of|any)\w"
)
_LEAD_INS_AT_MOST = 3
# Nothing longer leads in, or is said aside.
_WITHIN = 320


def without_lead_in(sentence: str) -> str:
    """The sentence without `Based on the context,` and its kin in front."""
    for _ in range(_LEAD_INS_AT_MOST):
        match = _LEAD_IN.match(_lowered(sentence))
        if match is None or match.end() >= len(sentence):
            break
        sentence = sentence[match.end() :]
    return sentence


def is_aside(sentence: str) -> bool:
    """Whether a sentence talks to the reader (an offer, a greeting, a question) and claims nothing."""
    lowered = _lowered(sentence)
    if sentence.endswith(("?", "？", "؟")):
        return not _STATING_QUESTION.match(lowered)
    return _ASIDE.match(lowered) is not None


def _lowered(sentence: str) -> str:
    """Lower case, plain apostrophes, every character in its place."""
    head = sentence[:_WITHIN]
    lowered = head.lower().replace("’", "'")
    return lowered if len(lowered) == len(head) else head
