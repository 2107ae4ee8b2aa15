"""Noise sensitivity: wrong claims that the answer took from its chunks / claims. Lower is better.

A wrong claim that no chunk entails is no matter of noise: faithfulness has it.
"""

from collections.abc import Callable

from evaluators.evaluation import Failed, FailReason, Outcome, Scored, Skipped, SkipReason
from evaluators.facets import Facet, FacetAnswers
from evaluators.metrics.base import Metric, Needs
from evaluators.metrics.context_precision import RELEVANT
from evaluators.metrics.reference import reference_claims
from evaluators.sample import RagSample


def share_of_wrong_claims(answers: FacetAnswers, counts: Callable[[bool], bool]) -> Outcome:
    """Wrong claims entailed by a chunk for which `counts(is the chunk relevant?)` / all claims of the answer."""
    compared = reference_claims(answers)
    if isinstance(compared, Failed):
        return compared
    if answers.chunk_relevance is None:
        return Failed(FailReason.MALFORMED, "the judge graded no chunk")
    if not compared.answer:
        return Skipped(SkipReason.NO_CLAIMS)
    scores = answers.chunk_relevance.scores
    sources = [claim.chunk for claim in compared.answer if not claim.correct and claim.chunk is not None]
    return Scored(sum(counts(scores[chunk] >= RELEVANT) for chunk in sources) / len(compared.answer))


def _metric(name: str, counts: Callable[[bool], bool]) -> Metric:
    def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
        return share_of_wrong_claims(answers, counts)

    return Metric(
        name=name,
        version="1",
        facets=frozenset({Facet.REFERENCE_CLAIMS, Facet.CHUNK_RELEVANCE}),
        compute=compute,
        threshold=0.10,
        higher_is_better=False,
        needs=Needs.ANSWER,
    )


NOISE_SENSITIVITY = _metric("noise_sensitivity", lambda relevant: True)
NOISE_SENSITIVITY_RELEVANT = _metric("noise_sensitivity_relevant", lambda relevant: relevant)
NOISE_SENSITIVITY_IRRELEVANT = _metric("noise_sensitivity_irrelevant", lambda relevant: not relevant)
