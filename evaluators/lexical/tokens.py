"""Tokens: any text as a list of comparable terms."""

import re
from itertools import chain

from evaluators.lexical.scripts import INVISIBLE, PIECE, fold
from evaluators.lexical.stems import stem

_CACHED_TERMS = 60_000
LONGEST_WORD = 32
"""Characters. Words are shorter; what is longer is a key, a hash, an address, or text without spaces."""
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_NEGATED = re.compile(r"n't\b")


def terms(text: str) -> list[str]:
    """Stemmed words, plain numbers, and character pairs where words are not separated, in order."""
    if not text.isascii():
        text = INVISIBLE.sub("", text)
    return list(chain.from_iterable(map(_terms_of.__getitem__, fold(text).split())))


def count_terms(folded_word: str) -> int:
    """How many terms a folded word without white space gives."""
    return len(_terms_of[folded_word])


def _analyse(word: str) -> tuple[str, ...]:
    if "n't" in word:
        word = _NEGATED.sub(" not", word)
    elif word.startswith("cannot"):
        word = word.replace("cannot", "can not", 1)
    found: list[str] = []
    for match in PIECE.finditer(word):
        piece = match.group()
        if match.lastgroup == "run":
            found.extend(piece[i : i + 2] for i in range(len(piece) - 1)) if len(piece) > 1 else found.append(piece)
        elif match.lastgroup == "number":
            found.append(plain_number(piece))
        else:
            found.append(stem(piece))
    if len(found) > 1 and found[-1] == "s":
        found.pop()
    return tuple(found)


def plain_number(digits: str) -> str:
    """`1,200.50` -> `1200.5`, `7,5` -> `7.5`, `05` -> `5`."""
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace(",", "")
    digits = digits.replace(",", ".")
    if digits.count(".") == 1:
        digits = digits.rstrip("0").rstrip(".")
    return digits.lstrip("0") or "0"


class _Terms(dict[str, tuple[str, ...]]):
    """Terms of whitespace-separated words. Text repeats its words, so most are looked up; bounded by starting over."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = _analyse(word)
        if len(word) <= LONGEST_WORD:
            if len(self) >= _CACHED_TERMS:
                self.clear()
            self[word] = found
        return found


_terms_of = _Terms()
