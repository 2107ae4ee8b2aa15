"""Context recall: claims of the reference answer that the context states / claims of the reference answer."""

from evaluators.evaluation import Failed, Outcome, Scored, Skipped, SkipReason
from evaluators.facets import Facet, FacetAnswers
from evaluators.metrics.base import Metric, Needs
from evaluators.metrics.reference import reference_claims
from evaluators.sample import RagSample


def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
    """Attributable / all."""
    compared = reference_claims(answers)
    if isinstance(compared, Failed):
        return compared
    if not compared.reference:
        return Skipped(SkipReason.NO_CLAIMS)
    return Scored(sum(claim.chunk is not None for claim in compared.reference) / len(compared.reference))


CONTEXT_RECALL = Metric(
    name="context_recall",
    version="1",
    facets=frozenset({Facet.REFERENCE_CLAIMS}),
    compute=compute,
    threshold=0.70,
    needs=Needs.ANSWER,
)
