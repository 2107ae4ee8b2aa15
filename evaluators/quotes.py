"""Whether a quote that a model gave is in the text, and how the text itself spells it."""

import re

MAX_QUOTE = 2_000
"""Characters. A quote is evidence for one claim; a longer one is cut before it is looked for."""

_ALIKE = ("'\u2018\u2019\u02bc", '"\u201c\u201d\u201e\u00ab\u00bb', "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
_SAME = {spelling: f"[{re.escape(group)}]" for group in _ALIKE for spelling in group}


def mentions(name: str, text: str) -> bool:
    """Whether `text` holds `name` as whole words, whatever the case, white space and dashes."""
    pattern = _pattern(name.strip()[:MAX_QUOTE])
    return bool(pattern) and re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE) is not None


def find_quote(quote: str, text: str) -> str | None:
    """The passage of `text` that `quote` repeats, None where there is none.

    Case, white space and the typography of quotation marks and dashes may differ: models normalise these.
    """
    quote = quote.strip()[:MAX_QUOTE]
    if not quote:
        return None
    if quote in text:
        return quote
    match = re.search(_pattern(quote), text, re.IGNORECASE)
    return match[0] if match else None


def _pattern(quote: str) -> str:
    return r"\s+".join("".join(map(_spelling, word)) for word in quote.split())


def _spelling(character: str) -> str:
    return _SAME.get(character) or re.escape(character)
