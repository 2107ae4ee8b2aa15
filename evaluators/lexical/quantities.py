"""Quantities: numbers with what they measure or count, found in a text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from evaluators.lexical import tables
from evaluators.lexical.numerals import HAN_NUMERAL, MULTIPLIERS, WORDS, han_value, values
from evaluators.lexical.scripts import HAS_UNSPACED, fold
from evaluators.lexical.tokens import terms
from evaluators.lexical.units import BETWEEN, UNITS, Dimension, Unit
from evaluators.lexical.weights import FUNCTION_TERMS

QUANTITIES_AT_MOST = 24


_Readings = tuple[float, ...]


class Bound(StrEnum):
    """How a number is meant."""

    EXACT = "exact"
    ABOUT = "about"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"


class Quantity:
    """A number, or a range of numbers, of a unit.

    `low` and `high` hold the readings of both ends in units of `unit`, equal for a single number. `rounded` says that
    it is written with a decimal mark, separators or a word like million. It stands at start..end of the folded text,
    and reads `text` there. What surrounds it is looked at when first asked for.
    """

    def __init__(
        self,
        low: _Readings,
        high: _Readings,
        unit: Unit,
        *,
        rounded: bool,
        folded: str,
        start: int,
        end: int,
        text: str,
    ) -> None:
        self.low, self.high, self.unit, self.rounded = low, high, unit, rounded
        self.start, self.end, self.text = start, end, text
        self._folded = folded

    @property
    def is_count(self) -> bool:
        """Whether it counts or numbers things instead of measuring in a unit."""
        return self.unit.dimension in (Dimension.COUNT, Dimension.ORDINAL)

    @cached_property
    def bound(self) -> Bound:
        """How it is meant."""
        return _bound(self._folded, self.start, self.end)

    @cached_property
    def nouns(self) -> frozenset[str]:
        """The content terms that follow: what a bare number counts."""
        return _nouns(self._folded, self.end)

    @cached_property
    def before(self) -> frozenset[str]:
        """The content terms that precede."""
        return _terms_before(self._folded, self.start)


@dataclass(frozen=True, slots=True)
class _Number:
    start: int
    end: int
    low: _Readings
    high: _Readings
    currency: Unit | None = None


_COUNT = Unit("", Dimension.COUNT)
_ORDINAL = Unit("", Dimension.ORDINAL)

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

_WORD = re.compile(r"\s{0,2}-?(%|[€£$¥₹₩₽元円]|°\s?[cf]|[^\W\d_]+(?:/h|²)?)")
_WORDS_AFTER = 3
_PHRASE_END = re.compile(r"[.,;:!?()\[\]\"\n\d，。；：！？（）、]|\b(?:and|or|und|oder|et|ou|y|o|e)\b")
_NOUNS_WITHIN, _BEFORE_WITHIN = 40, 48
_LABELS = frozenset(tables.words("labels"))
_BOUNDS = tuple(
    (Bound(bound), tuple(phrase if not phrase.isascii() else f" {phrase}" for phrase in phrases.split("|")))
    for bound, phrases in (line.split(": ", 1) for line in tables.lines("bounds"))
)
_OR_MORE = ("or more", "or longer", "+", "以上", "or above", "or higher")
_OR_LESS = ("or less", "or fewer", "or under", "以下", "以内", "or below")
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th", "º", "ª", "er", "ème"})
_SHORT_MULTIPLIERS = {"m": 1e6, "b": 1e9}
_YEARS = (1100, 2199)


def quantities(text: str) -> list[Quantity]:
    """The first 24 quantities of a text in order; no years, versions, labels, phone numbers or identifiers."""
    folded = fold(text)
    found: list[Quantity] = []
    end = 0
    for number in sorted(_numbers(folded), key=lambda number: number.start):
        quantity = _measured(text, folded, number) if number.start >= end else None
        if quantity is not None:
            found.append(quantity)
            end = quantity.end
        if len(found) >= QUANTITIES_AT_MOST:
            break
    return found


def _numbers(folded: str) -> Iterator[_Number]:
    for match in _BY_DIGITS.finditer(folded):
        if not _GLUED_BEFORE.search(folded, max(0, match.start() - 2), match.start()):
            yield from _spanned(folded, match.start(), match.end())
    if not WORDS.keys().isdisjoint(folded.replace("-", " ").split()):
        for match in _BY_WORDS.finditer(folded):
            yield from _spanned(folded, match.start(), match.end())
    if HAS_UNSPACED.search(folded):
        yield from _han_numbers(folded)


def _spanned(folded: str, start: int, end: int) -> Iterator[_Number]:
    """The number at start..end, or the range that begins with it."""
    sign = _SIGN.search(folded, max(0, start - 5), start)
    currency = UNITS.get(sign.group(1).strip(".")) if sign else None
    low = _readings(folded[start:end])
    begin = sign.start() if sign else start
    to = _TO.match(folded, end)
    if to is None:
        if not _GLUED_AFTER.match(folded, end):
            yield _Number(begin, end, low, low, currency)
    elif to["to"].strip() in _NO_RANGE and not (to["to"] == " and " and folded[:begin].endswith("between ")):
        yield _Number(begin, end, low, low, currency)
    elif not _GLUED_AFTER.match(folded, to.end()):
        yield _Number(begin, to.end(), low, _readings(to["high"]), currency)


def _han_numbers(folded: str) -> Iterator[_Number]:
    for match in HAN_NUMERAL.finditer(folded):
        value = han_value(match.group())
        if any(folded[match.end() : match.end() + length] in UNITS for length in (1, 2, 3)):
            yield _Number(match.start(), match.end(), (value,), (value,))


def _readings(number: str) -> _Readings:
    if number[0].isdigit():
        return values(number)
    parts = re.split("[- ]", number)
    if parts[-1] in MULTIPLIERS:
        return (MULTIPLIERS[parts[-1]],)
    return (sum(WORDS.get(part, 0.0) for part in parts),)


def _measured(text: str, folded: str, number: _Number) -> Quantity | None:
    """The number with its multiplier, unit and nouns; None where it is a year, a label or part of a word."""
    low, high, unit, end = number.low, number.high, number.currency, number.end
    rounded = any(mark in folded[number.start : end] for mark in ".,")
    words = _following(folded, end)
    if words and (multiplier := _multiplier(words[0][0], unit)):
        low, high = tuple(v * multiplier for v in low), tuple(v * multiplier for v in high)
        end, words, rounded = words[0][2], words[1:], True
    if unit is None and words:
        unit, end = _unit(folded, words, end)
    if unit is None and words and words[0][1] == end == number.end:
        if words[0][0] not in _ORDINAL_ENDINGS:
            return None
        unit, end = _ORDINAL, words[0][2]
    if unit is None and (_is_year(folded, number) or _is_label(folded, number.start)):
        return None
    return Quantity(
        low,
        high,
        unit or _COUNT,
        rounded=rounded,
        folded=folded,
        start=number.start,
        end=end,
        text=text[number.start : end].strip(),
    )


def _following(folded: str, end: int) -> list[tuple[str, int, int]]:
    """(word, start, end) of the words right after a number."""
    found, position = [], end
    for _ in range(_WORDS_AFTER):
        match = _WORD.match(folded, position)
        if match is None:
            break
        found.append((match.group(1).replace(" ", ""), match.start(1), match.end()))
        position = match.end()
    return found


def _multiplier(word: str, currency: Unit | None) -> float | None:
    return MULTIPLIERS.get(word) or (_SHORT_MULTIPLIERS.get(word) if currency else None)


def _unit(folded: str, words: list[tuple[str, int, int]], end: int) -> tuple[Unit | None, int]:
    """The unit among the words after a number and where it ends; (None, `end`) where there is none."""
    word, start, _ = words[0]
    if HAS_UNSPACED.match(word) or "가" <= word[0] <= "힣":
        for form in (word[:3], word[:2], word[:1]):
            if form in UNITS:
                return UNITS[form], start + len(form)
        return None, end
    # `90s` is a decade.
    if word == "s" and start == end:
        return None, end
    for word, _, stop in words[:2]:
        if word in UNITS:
            return UNITS[word], stop
        if word not in BETWEEN:
            break
    return None, end


def _nouns(folded: str, end: int) -> frozenset[str]:
    phrase = _PHRASE_END.split(folded[end : end + _NOUNS_WITHIN], maxsplit=1)[0]
    content = [term for term in terms(phrase) if term not in FUNCTION_TERMS and not term[0].isdigit()]
    return frozenset(content[:3])


def _terms_before(folded: str, start: int) -> frozenset[str]:
    phrase = _PHRASE_END.split(folded[max(0, start - _BEFORE_WITHIN) : start])[-1]
    return frozenset([term for term in terms(phrase) if term not in FUNCTION_TERMS][-3:])


def _is_year(folded: str, number: _Number) -> bool:
    digits = folded[number.start : number.end]
    return len(digits) == 4 and digits.isdigit() and _YEARS[0] <= number.low[0] <= _YEARS[1]


def _is_label(folded: str, start: int) -> bool:
    word = folded[max(0, start - 16) : start].rstrip(" .#:").rsplit(None, 1)[-1:]
    return bool(word) and word[0].strip("([\"'") in _LABELS


def _bound(folded: str, start: int, end: int) -> Bound:
    after = folded[end : end + 12].lstrip()
    if after.startswith(_OR_MORE):
        return Bound.AT_LEAST
    if after.startswith(_OR_LESS):
        return Bound.AT_MOST
    ahead = f" {folded[max(0, start - 24) : start].rstrip()}".removesuffix(" the").removesuffix(" a")
    return next((bound for bound, phrases in _BOUNDS if ahead.endswith(phrases)), Bound.EXACT)
