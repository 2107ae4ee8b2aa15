"""Whether a quote that a model gave is in the text, and how the text itself spells it."""

import re

MAX_QUOTE = 2_000
"""Characters. A quote is evidence for one claim; a longer one is cut before it is looked for."""

_ALIKE = ("'\u2018\u2019\u02bc", '"\u201c\u201d\u201e\u00ab\u00bb', "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
_SAME = {spelling: f"[{re.escape(group)}]" for group in _ALIKE for spelling in group}


def find_quote(quote: str, text: str) -> str | None:
    """The passage of `text` that `quote` repeats, None where there is none.

    Case, white space and the typography of quotation marks and dashes may differ: models normalise these.
    """
    quote = quote.strip()[:MAX_QUOTE]
    if not quote:
        return None
    if quote in text:
        return quote
    pattern = r"\s+".join("".join(map(_spelling, word)) for word in quote.split())
    match = re.search(pattern, text, re.IGNORECASE)
    return match[0] if match else None


def _spelling(character: str) -> str:
    return _SAME.get(character) or re.escape(character)
