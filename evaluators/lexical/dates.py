"""Dates and times of day: found in many formats, compared as far as both say."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from evaluators.lexical import tables
from evaluators.lexical.scripts import fold

DATES_AT_MOST = 24

_MONTHS = {name: int(number) for name, number in tables.by_word("months").items()}
_WEEKDAYS = {name: int(number) for name, number in tables.by_word("weekdays").items()}
_UNSPACED_WEEKDAYS = ("曜", "星期")

_M = "(?P<m>" + "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True)) + ")"
_W = "|".join(sorted(map(re.escape, _WEEKDAYS), key=len, reverse=True))
_YEAR = r"(?:1[1-9]|20|21)\d\d"
_Y = f"(?P<y>{_YEAR})"
_D = r"(?P<d>[0-3]?\d)"
_LETTER = r"[^\W_]"


@dataclass(frozen=True, slots=True)
class Moment:
    """What a date or time says; None for what it leaves open. `minute` counts from midnight. `text` is verbatim."""

    year: int | None
    month: int | None
    day: int | None
    weekday: int | None
    minute: int | None
    start: int
    end: int
    text: str

    @property
    def parts(self) -> tuple[int | None, ...]:
        """Year, month, day, weekday, minute."""
        return (self.year, self.month, self.day, self.weekday, self.minute)

    @property
    def is_a_year(self) -> bool:
        """Whether it names a year and nothing else."""
        return self.parts[1:] == (None, None, None, None)


_Reading = tuple[int | None, int | None, int | None, int | None, int | None]


def _date(year: str | None, month: int | None, day: str | None) -> _Reading | None:
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= int(day) <= 31):
        return None
    return (int(year) if year else None, month, int(day) if day else None, None, None)


def _numeric(match: re.Match[str]) -> _Reading | None:
    return _date(match["y"], int(match["m"]), match["d"])


def _named(match: re.Match[str]) -> _Reading | None:
    return _date(match["y"], _MONTHS[match["m"]], match["d"])


def _slashed(match: re.Match[str]) -> _Reading | None:
    """Day and month only where their order is sure; the year always."""
    one, two = int(match["one"]), int(match["two"])
    if one > 12 >= two or match["mark"] == ".":
        return _date(match["y"], two, match["one"])
    if two > 12 >= one:
        return _date(match["y"], one, match["two"])
    return _date(match["y"], one, match["one"]) if one == two else _date(match["y"], None, None)


def _han(match: re.Match[str]) -> _Reading | None:
    return _date(match["y"], int(match["m"]) if match["m"] else None, match["d"])


def _clock(match: re.Match[str]) -> _Reading | None:
    hour, minute, half = int(match["h"]), int(match["min"] or 0), (match["half"] or "").replace(".", "")
    if hour > (12 if half else 24) or (not half and match["mark"] != ":"):
        return None
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return (None, None, None, None, hour * 60 + minute)


def _weekday(match: re.Match[str]) -> _Reading:
    return (None, None, None, _WEEKDAYS[match["w"]], None)


# (what a text must hold for it, pattern, reading), tried in this order: none looks inside what one before has found.
_FORMATS: tuple[tuple[str, str, Callable[[re.Match[str]], _Reading | None]], ...] = (
    ("year", rf"(?<!\d){_Y}[-/.](?P<m>[01]?\d)[-/.]{_D}(?!\d)", _numeric),
    ("year", rf"(?<![\d/.])(?P<one>[0-3]?\d)(?P<mark>[/.])(?P<two>[0-3]?\d)(?P=mark){_Y}(?!\d)", _slashed),
    ("han", rf"{_Y}\s?[年년]\s?(?:(?P<m>[01]?\d)\s?[月월]\s?(?:{_D}\s?[日일号])?)?", _han),
    ("han", rf"(?<!\d)(?P<y>)(?P<m>1?\d)\s?[月월]\s?{_D}\s?[日일号]", _han),
    ("month", rf"(?<!{_LETTER}){_M}\.?\s{_D}(?:st|nd|rd|th)?(?![\w])(?:\s?,?\s(?:of )?{_Y}(?!\d))?", _named),
    (
        "month",
        (
            rf"(?<![\w.,]){_D}(?:st|nd|rd|th|\.|er|º)?(?:\s(?:of|de|di))?\s{_M}(?!{_LETTER})"
            rf"\.?,?(?:\s(?:de |del )?{_Y}(?!\d))?"
        ),
        _named,
    ),
    (
        "month",
        rf"(?<!{_LETTER}){_M}\.?,?\s(?:of |de |del )?{_Y}(?!\d)",
        lambda match: _date(match["y"], _MONTHS[match["m"]], None),
    ),
    (
        "year",
        rf"(?:(?<![\w.,$€£#-])|(?<=[12]\d\d\d-)){_Y}(?![\w%]|[.,:/]\d|-(?!{_YEAR})\d)",
        lambda match: _date(match["y"], None, None),
    ),
    (
        "clock",
        r"(?<![\d:.,$€£])(?P<h>[0-2]?\d)(?:(?P<mark>[:.])(?P<min>[0-5]\d))?\s?(?P<half>a\.?m\.?|p\.?m\.?)?(?![\w:]|\.\d)",
        _clock,
    ),
    ("weekday", rf"(?<!{_LETTER})(?P<w>{_W})(?!{_LETTER})", _weekday),
)
_COMPILED = tuple((hint, re.compile(pattern), read) for hint, pattern, read in _FORMATS)
_DIGIT = re.compile(r"\d")
_HINTS = (
    ("year", re.compile(_YEAR)),
    ("clock", re.compile(r"\d:\d|\d\s?[ap]\.?m\b")),
    ("han", re.compile(r"\d\s?[月월年년]")),
)
# Four digits are a year where one of these words stands before them; `for 2000 employees` holds none.
_YEAR_LEADS = frozenset(tables.words("year_leads"))


def moments(text: str) -> list[Moment]:
    """The first 24 dates, years, weekdays and times of a text in order."""
    folded = fold(text)
    hints = _hints(folded)
    found: list[Moment] = []
    for hint, pattern, read in _COMPILED if hints else ():
        if hint not in hints or len(found) >= DATES_AT_MOST:
            continue
        for match in pattern.finditer(folded):
            start, end = match.span()
            reading = read(match)
            if reading is None or any(start < moment.end and moment.start < end for moment in found):
                continue
            moment = Moment(*reading, start, end, text[start:end].strip(" ,"))
            if not moment.is_a_year or end - start > 4 or _leads_to_a_year(folded, start):
                found.append(moment)
    return sorted(found, key=lambda moment: moment.start)[:DATES_AT_MOST]


def _hints(folded: str) -> set[str]:
    """Which kinds of format can occur at all: most sentences hold none, and looking for each costs more than this."""
    hints = {hint for hint, pattern in _HINTS if pattern.search(folded)} if _DIGIT.search(folded) else set()
    words = folded.replace(",", " ").replace(".", " ").split()
    if not _WEEKDAYS.keys().isdisjoint(words) or any(sign in folded for sign in _UNSPACED_WEEKDAYS):
        hints.add("weekday")
    if not _MONTHS.keys().isdisjoint(words):
        hints.add("month")
    return hints


def _leads_to_a_year(folded: str, start: int) -> bool:
    ahead = folded[max(0, start - 16) : start]
    if not ahead or not ahead[-1].isspace():
        return not ahead or ahead[-1] in "(,-[" or not ahead[-1].isascii()
    before = ahead.rstrip()
    if not before or before[-1] in "(,-[" or not before[-1].isascii():
        return True
    return before.rsplit(None, 1)[-1].strip("([\"'") in _YEAR_LEADS


def consistent(claimed: Moment, found: Moment) -> bool:
    """Whether the two can be the same moment: no part that both name differs."""
    return all(one is None or other is None or one == other for one, other in _pairs(claimed, found))


def says(found: Moment, claimed: Moment) -> bool:
    """Whether `found` names a part of `claimed`, and all it names agrees."""
    return consistent(claimed, found) and any(one is not None and one == other for one, other in _pairs(claimed, found))


def same_kind(claimed: Moment, found: Moment) -> bool:
    """Whether one names all parts that the other names, so that they can be compared."""
    pairs = _pairs(claimed, found)
    return all(one is None or other is not None for one, other in pairs) or all(
        other is None or one is not None for one, other in pairs
    )


def _pairs(one: Moment, other: Moment) -> list[tuple[int | None, int | None]]:
    return list(zip(one.parts, other.parts, strict=True))
