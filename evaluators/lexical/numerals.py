"""Numerals: numbers written in digits or in words, as values."""

import re

from evaluators.lexical import tables

WORDS = tables.by_word("numbers")
MULTIPLIERS = tables.by_word("multipliers")

_HAN_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_POWERS = {"十": 10, "百": 100, "千": 1000}
HAN_NUMERAL = re.compile("[零〇一二三四五六七八九十百千两兩]{1,12}")
_GROUPED = re.compile(r"\d{1,3}(?:([,.' ])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")


def values(digits: str) -> tuple[float, ...]:
    """What digits may mean, most likely first: `1.500` is 1500 in much of Europe and 1.5 elsewhere."""
    grouped = _GROUPED.fullmatch(digits)
    if grouped is None:
        return (_decimal(digits.replace(",", ".")),)
    mark = grouped.group(1)
    whole = _decimal(digits.replace(mark, "").replace(",", "."))
    single = digits.count(mark) == 1 and mark in ".," and digits[0] != "0"
    if mark == "." and single:
        return (_decimal(digits), whole)
    if digits[0] == "0":
        return (_decimal(digits.replace(",", ".")),)
    return (
        (whole, _decimal(digits.replace(",", "."))) if single and mark == "," and digits.count(".") == 0 else (whole,)
    )


def _decimal(digits: str) -> float:
    try:
        return float(digits)
    except ValueError:
        return float(digits.replace(".", "") or 0)


def han_value(numeral: str) -> float:
    """`三十` -> 30, `二〇二四` -> 2024."""
    if not any(c in _HAN_POWERS for c in numeral):
        return float("".join(str(_HAN_DIGITS[c]) for c in numeral))
    total, digit = 0, 0
    for char in numeral:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        else:
            total += (digit or 1) * _HAN_POWERS[char]
            digit = 0
    return float(total + digit)
