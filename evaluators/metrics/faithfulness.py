"""Faithfulness: claims of the answer that the context supports / claims of the answer."""

from evaluators.evaluation import Outcome
from evaluators.facets import Facet, FacetAnswers, Support
from evaluators.metrics.base import Metric
from evaluators.metrics.claims import share_of_claims
from evaluators.sample import RagSample


def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
    """Supported / all. "Not contradicted" is not "supported": an answer on another subject scores 0."""
    return share_of_claims(answers, Support.SUPPORTED)


FAITHFULNESS = Metric(
    name="faithfulness",
    version="1",
    facets=frozenset({Facet.CLAIM_SUPPORT, Facet.ANSWER_FIT}),
    compute=compute,
    threshold=0.85,
)
