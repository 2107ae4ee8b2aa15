"""Whether a quote that a model gave is in the text, and how the text itself spells it."""

import re

from evaluators.lexical.sentences import sentence_spans

MAX_QUOTE = 2_000
"""Characters. A quote is evidence for one claim; a longer one is cut before it is looked for."""

_ALIKE = ("'\u2018\u2019\u02bc", '"\u201c\u201d\u201e\u00ab\u00bb', "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
_MARKS = ";:!?()[]*_\u2026\u3002\uff0c\u3001\uff1b\uff1a\uff01\uff1f\u300c\u300d" + "".join(_ALIKE[:2])
"""Punctuation; no sign that changes a figure: minus, per cent, currency, the mark within a number."""
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


def repeats(claim: str, quote: str) -> bool:
    """Whether `claim` is the whole `quote`, or a whole sentence of it, but for case, white space and punctuation.

    A part of a sentence is not enough: `dogs are allowed` is in `no dogs are allowed`.
    """
    claimed, quote = _words(claim[:MAX_QUOTE]), quote[:MAX_QUOTE]
    said = [quote, *(quote[start:end] for start, end in sentence_spans(quote))]
    return bool(claimed) and any(_words(passage) == claimed for passage in said)


def _words(text: str) -> list[str]:
    return [bare for word in text.casefold().split() if (bare := word.lstrip(_MARKS).rstrip(_MARKS + ".,"))]


def _pattern(quote: str) -> str:
    return r"\s+".join("".join(map(_spelling, word)) for word in quote.split())


def _spelling(character: str) -> str:
    return _SAME.get(character) or re.escape(character)
