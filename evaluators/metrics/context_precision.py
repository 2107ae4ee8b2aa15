"""Context precision: average precision of the ranking, so that useful chunks first score higher."""

from collections.abc import Sequence

from evaluators.evaluation import Failed, FailReason, Outcome, Scored
from evaluators.facets import Facet, FacetAnswers
from evaluators.metrics.base import Metric
from evaluators.sample import RagSample

RELEVANT = 0.5
"""A chunk graded at or above this counts as useful."""


def average_precision(relevant: Sequence[bool]) -> float:
    """Sum over ranks of precision@k * relevant_k / number of relevant ones; 0 where none is.

    >>> average_precision([False, True])
    0.5
    """
    hits, total = 0, 0.0
    for rank, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
    """Average precision over the chunks in the order the model saw them."""
    if answers.chunk_relevance is None or not answers.chunk_relevance.scores:
        return Failed(FailReason.MALFORMED, "the judge graded no chunk")
    return Scored(average_precision([score >= RELEVANT for score in answers.chunk_relevance.scores]))


CONTEXT_PRECISION = Metric(
    name="context_precision",
    version="1",
    facets=frozenset({Facet.CHUNK_RELEVANCE}),
    compute=compute,
    threshold=0.80,
)
