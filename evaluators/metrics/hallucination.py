"""Hallucination: claims of the answer that the context contradicts / claims of the answer. Lower is better."""

from evaluators.evaluation import Outcome
from evaluators.facets import Facet, FacetAnswers, Support
from evaluators.metrics.base import Metric
from evaluators.metrics.claims import share_of_claims
from evaluators.sample import RagSample


def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
    """Contradicted / all."""
    return share_of_claims(answers, Support.CONTRADICTED)


HALLUCINATION = Metric(
    name="hallucination",
    version="1",
    facets=frozenset({Facet.CLAIM_SUPPORT, Facet.ANSWER_FIT}),
    compute=compute,
    threshold=0.0,
    higher_is_better=False,
)
