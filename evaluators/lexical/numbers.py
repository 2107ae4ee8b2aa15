"""Numbers: where they stand in a text, in digits or in words, alone or as a range."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evaluators.lexical.numerals import HAN_NUMERAL, MULTIPLIERS, WORDS, han_value, values
from evaluators.lexical.scripts import HAS_UNSPACED
from evaluators.lexical.units import UNITS, Unit

Readings = tuple[float, ...]
"""What a number may mean, most likely first."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number, or the two ends of a range, at start..end of a folded text, with the currency sign in front of it."""

    start: int
    end: int
    low: Readings
    high: Readings
    currency: Unit | None = None


_DIGITS = r"(?:\d{1,3}(?:[,.' ]\d{3})+(?!\d)(?:[.,]\d{1,6})?|\d{1,15}(?:[.,]\d{1,6})?)"
_NAMED = "|".join(sorted(map(re.escape, WORDS), key=len, reverse=True))
_VERBAL = rf"(?:(?:{_NAMED})(?:[- ](?:{_NAMED}))?|(?:a|an|one) (?:hundred|thousand|million|billion|dozen))(?![^\W\d_])"
_BY_DIGITS = re.compile(_DIGITS)
_BY_WORDS = re.compile(rf"(?<![^\W\d_])(?:{_VERBAL})")
_JOINED = r"\s?(?:-|~|\u301c|\uff5e|至|到)\s?|\s(?:to|bis|until|till|through|or|a|à|до|and|hingga|sampai)\s"
_TO = re.compile(rf"(?P<to>{_JOINED})[$€£¥₹]?(?P<high>{_DIGITS}|{_VERBAL})")
_SIGN = re.compile(r"(us\$|r\$|[$€£¥₹₩₽]|\b(?:usd|eur|gbp|chf|rp|rs)\.?)\s?$")
# `5 or 10 days`, `5 and 10 days` are two numbers; `between 5 and 10 days` is a range.
_NO_RANGE = frozenset({"and", "or", "a"})
# What makes digits part of something else: a word (covid-19), a version, a date, a phone number, a path.
_GLUED_BEFORE = re.compile(r"(?:[a-z_.,:/#^\d]|[^\W_]-|\d[-\u2013])$")
_GLUED_AFTER = re.compile(r"[.:/-]?\d|[/:]\w")


def numbers(folded: str) -> Iterator[Number]:
    """The numbers of a folded text, in no order, which may overlap; none that is part of a word or an identifier."""
    for match in _BY_DIGITS.finditer(folded):
        if not _GLUED_BEFORE.search(folded, max(0, match.start() - 2), match.start()):
            yield from _spanned(folded, match.start(), match.end())
    if not WORDS.keys().isdisjoint(folded.replace("-", " ").split()):
        for match in _BY_WORDS.finditer(folded):
            yield from _spanned(folded, match.start(), match.end())
    if HAS_UNSPACED.search(folded):
        yield from _han_numbers(folded)


def _spanned(folded: str, start: int, end: int) -> Iterator[Number]:
    """The number at start..end, or the range that begins with it."""
    sign = _SIGN.search(folded, max(0, start - 5), start)
    currency = UNITS.get(sign.group(1).strip(".")) if sign else None
    low = _readings(folded[start:end])
    begin = sign.start() if sign else start
    to = _TO.match(folded, end)
    if to is None:
        if not _GLUED_AFTER.match(folded, end):
            yield Number(begin, end, low, low, currency)
    elif to["to"].strip() in _NO_RANGE and not (to["to"] == " and " and folded[:begin].endswith("between ")):
        yield Number(begin, end, low, low, currency)
    elif not _GLUED_AFTER.match(folded, to.end()):
        yield Number(begin, to.end(), low, _readings(to["high"]), currency)


def _han_numbers(folded: str) -> Iterator[Number]:
    for match in HAN_NUMERAL.finditer(folded):
        value = han_value(match.group())
        if any(folded[match.end() : match.end() + length] in UNITS for length in (1, 2, 3)):
            yield Number(match.start(), match.end(), (value,), (value,))


def _readings(number: str) -> Readings:
    if number[0].isdigit():
        return values(number)
    parts = re.split("[- ]", number)
    if parts[-1] in MULTIPLIERS:
        return (MULTIPLIERS[parts[-1]],)
    return (sum(WORDS.get(part, 0.0) for part in parts),)
