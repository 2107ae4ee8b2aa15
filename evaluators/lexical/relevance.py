"""Relevance: how much of what a question is about a chunk speaks of. Looks at question and chunk alone."""

from collections import Counter

from evaluators.lexical.context import CHUNK_CHARACTERS
from evaluators.lexical.question import Question
from evaluators.lexical.tokens import terms

# A chunk that dwells on the question's terms is likelier to answer it than one that mentions them once.
_DWELLING_SHARE = 0.3
_HALF_SATURATED = 1.2
_UNDECIDED = 0.5


def relevance(question: Question, chunk: str) -> float:
    """0..1; 0.5 where the question has no content term to look for."""
    total = sum(question.weights.values())
    if not total:
        return _UNDECIDED
    counts = Counter(terms(chunk[:CHUNK_CHARACTERS]))
    named = question.share_in(counts)
    dwelt = sum(w * counts[t] / (counts[t] + _HALF_SATURATED) for t, w in question.weights.items()) / total
    return round(min(1.0, (1 - _DWELLING_SHARE) * named + _DWELLING_SHARE * min(1.0, dwelt * _HALF_SATURATED)), 4)
