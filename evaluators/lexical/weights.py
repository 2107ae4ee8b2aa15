"""Weights: how much a term says. A small frequency prior, sharpened by how rare the term is in the context at hand."""

import math

from evaluators.lexical import tables
from evaluators.lexical.tokens import terms

# Function words say almost nothing about what is claimed.
FUNCTION_TERMS = frozenset(terms(" ".join(tables.words("function_words"))))
# Frequent content words are in every text: their presence proves less, their absence means less.
_COMMON_TERMS = frozenset(terms(" ".join(tables.words("common_words")))) - FUNCTION_TERMS

_FUNCTION_WEIGHT = 0.15
_COMMON_WEIGHT = 0.6
_NUMBER_WEIGHT = 1.2
_TERM_WEIGHT = 1.0
_CACHED_PRIORS = 60_000


class _Priors(dict[str, float]):
    """Priors of terms, remembered; bounded by starting over."""

    def __missing__(self, term: str) -> float:
        if len(self) >= _CACHED_PRIORS:
            self.clear()
        found = self[term] = _prior(term)
        return found


def _prior(term: str) -> float:
    if term in FUNCTION_TERMS:
        return _FUNCTION_WEIGHT
    if term[0].isdigit():
        return _NUMBER_WEIGHT
    return _COMMON_WEIGHT if term in _COMMON_TERMS else _TERM_WEIGHT


PRIORS = _Priors()
"""What a term says before the context is known, by term."""


def rarity(sentences: int) -> list[float]:
    """A dampened inverse frequency: the factor in 0..1 for a term that n of the sentences hold, at position n."""
    most = math.log1p((sentences + 1) / 0.5)
    return [math.sqrt(math.log1p((sentences + 1) / (n + 0.5)) / most) for n in range(sentences + 1)]
