"""Quantities: numbers with what they measure or count, found in a text."""

import re
from enum import StrEnum
from functools import cached_property

from evaluators.lexical import tables
from evaluators.lexical.numbers import Number, Readings, numbers
from evaluators.lexical.numerals import MULTIPLIERS
from evaluators.lexical.scripts import HAS_UNSPACED, fold
from evaluators.lexical.tokens import terms
from evaluators.lexical.units import BETWEEN, UNITS, Dimension, Unit
from evaluators.lexical.weights import FUNCTION_TERMS

QUANTITIES_AT_MOST = 24


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
        low: Readings,
        high: Readings,
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


_COUNT = Unit("", Dimension.COUNT)
_ORDINAL = Unit("", Dimension.ORDINAL)

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
    for number in sorted(numbers(folded), key=lambda number: number.start):
        quantity = _measured(text, folded, number) if number.start >= end else None
        if quantity is not None:
            found.append(quantity)
            end = quantity.end
        if len(found) >= QUANTITIES_AT_MOST:
            break
    return found


def _measured(text: str, folded: str, number: Number) -> Quantity | None:
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


def _is_year(folded: str, number: Number) -> bool:
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
