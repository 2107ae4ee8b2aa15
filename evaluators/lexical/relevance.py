"""Relevance: how much of what a question is about a chunk speaks of. Looks at question and chunk alone."""

from evaluators.lexical.question import Question
from evaluators.lexical.reading import Reading

# A chunk that dwells on the question's terms is likelier to answer it than one that mentions them once.
_DWELLING_SHARE = 0.3
_HALF_SATURATED = 1.2
_UNDECIDED = 0.5


def relevance(question: Question, chunk: Reading) -> float:
    """0..1; 0.5 where the question has no content term to look for."""
    total = sum(question.weights.values())
    if not total:
        return _UNDECIDED
    named = question.share_in(chunk.holding.keys(), chunk.akin.keys())
    dwelt = sum(weight * _dwelling(chunk.holding.get(term, 0)) for term, weight in question.weights.items()) / total
    return round(min(1.0, (1 - _DWELLING_SHARE) * named + _DWELLING_SHARE * dwelt), 4)


def _dwelling(bits: int) -> float:
    """How much is made of a term by the number of sentences that hold it."""
    sentences = bits.bit_count()
    return min(1.0, _HALF_SATURATED * sentences / (sentences + _HALF_SATURATED))
