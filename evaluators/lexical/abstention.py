"""Abstention: an answer that says that it does not know, or that the context does not say."""

import re

from evaluators.lexical import tables

_ABSTAINS = tables.pattern("abstentions")
# A sentence without any of these words or signs declines nothing; looking for them is many times cheaper.
_NEGATING = frozenset(tables.words("declining_words"))
_NEGATING_SIGN = re.compile("n't|不|没|沒|未|無|无|ません|ない|不明|모르|모릅|없|않|부족|नहीं|لا|ไม่")
_WORD = re.compile(r"[^\s.,;:!?()]+")
# An abstention is a short sentence; looking further would cost time and find quotations.
_WITHIN = 320


def abstains(sentence: str) -> bool:
    """Whether a sentence declines to answer, or says that the context does not answer; about 20 languages."""
    lowered = sentence[:_WITHIN].lower().replace("’", "'")
    if _NEGATING.isdisjoint(_WORD.findall(lowered)) and _NEGATING_SIGN.search(lowered) is None:
        return False
    return _ABSTAINS.search(lowered) is not None
