"""Relevance: how much of what a question is about a chunk speaks of. Looks at question and chunk alone."""

from collections import Counter
from itertools import chain

from evaluators.lexical.chunk import parts
from evaluators.lexical.question import Question

# A chunk that dwells on the question's terms is likelier to answer it than one that mentions them once.
_DWELLING_SHARE = 0.3
_HALF_SATURATED = 1.2
_UNDECIDED = 0.5


def relevance(question: Question, chunk: str) -> float:
    """0..1; 0.5 where the question has no content term to look for."""
    total = sum(question.weights.values())
    if not total:
        return _UNDECIDED
    found = list(chain.from_iterable(part.terms for part in parts(chunk)))
    counts = Counter(filter(question.weights.__contains__, found))
    dwelt = sum(w * counts[t] / (counts[t] + _HALF_SATURATED) for t, w in question.weights.items()) / total
    score = (1 - _DWELLING_SHARE) * question.share_in(found) + _DWELLING_SHARE * min(1.0, dwelt * _HALF_SATURATED)
    return round(min(1.0, score), 4)
