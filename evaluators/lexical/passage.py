"""A passage under comparison: a claim, or the sentence that comes nearest to it, read as closely as a check needs."""

import re
from functools import cached_property, lru_cache

from evaluators.lexical.dates import Moment, moments
from evaluators.lexical.quantities import Quantity, quantities
from evaluators.lexical.scripts import HAS_UNSPACED, PIECE, fold
from evaluators.lexical.tokens import count_terms, terms
from evaluators.lexical.weights import FUNCTION_TERMS

_WORD = re.compile(r"\S+")
_OPENING = "([{\"'“‘«„"
# The sentences of chunks that come again are compared again. What is kept is shared: nobody changes it.
_KEPT = 2_048
_moments = lru_cache(maxsize=_KEPT)(moments)
_quantities = lru_cache(maxsize=_KEPT)(quantities)


class Passage:
    """A text with its terms; where they stand, quantities and dates are found when first asked for."""

    def __init__(self, text: str, found: list[str] | None = None) -> None:
        self.text = text
        self.terms = terms(text) if found is None else found

    @cached_property
    def moments(self) -> list[Moment]:
        """Dates, years, weekdays and times of day."""
        return _moments(self.text)

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Quantities that are no part of a date."""
        found, dates = _quantities(self.text), self.moments
        return [q for q in found if not any(q.start < m.end and m.start < q.end for m in dates)] if dates else found

    @cached_property
    def name_runs(self) -> list[tuple[int, int]]:
        """(first, last) of each run of capitalised terms; the first word only where more than its place says so."""
        runs: list[tuple[int, int]] = []
        number, joined = 0, False
        for word in self.text.split():
            count = count_terms(fold(word))
            bare = word.lstrip(_OPENING)
            # More terms than expected: the text has invisible characters, and no capitals are looked for.
            if not count or number + count > len(self.terms):
                continue
            named = bare[:1].isupper() and self.terms[number] not in FUNCTION_TERMS
            if named:
                first = runs.pop()[0] if joined and bare == word else number
                runs.append((first, number + count - 1))
            joined = named and word[-1].isalnum()
            number += count
        begins_plainly = runs[:1] == [(0, 0)] and self.text.split(None, 1)[0][1:].islower()
        return runs[1:] if begins_plainly else runs

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """(start, end) in the text for every term; a word that gives several terms stands for each of them."""
        found: list[tuple[int, int]] = []
        folded = fold(self.text)
        unspaced = HAS_UNSPACED.search(folded) is not None
        for match in _WORD.finditer(folded):
            word, start = match.group(), match.start()
            if unspaced and HAS_UNSPACED.search(word):
                found.extend(_unspaced_spans(word, start))
            elif word.isalnum():
                found.extend([match.span()] * count_terms(word))
            elif pieces := list(PIECE.finditer(word)):
                found.extend([(start + pieces[0].start(), start + pieces[-1].end())] * count_terms(word))
        return found if len(found) == len(self.terms) else [(0, len(self.text))] * len(self.terms)

    def fragment(self, first: int, last: int) -> str:
        """The text from term number `first` to `last`."""
        return self.text[self.spans[first][0] : self.spans[last][1]]


def _unspaced_spans(folded: str, offset: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for piece in PIECE.finditer(folded):
        start, end = offset + piece.start(), offset + piece.end()
        if piece.lastgroup == "run" and end - start > 1:
            spans.extend((position, position + 2) for position in range(start, end - 1))
        else:
            spans.append((start, end))
    return spans
