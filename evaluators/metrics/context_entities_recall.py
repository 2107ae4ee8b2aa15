"""Context entities recall: names of the reference answer that occur in the context / its names."""

from evaluators.evaluation import Failed, Outcome, Scored, Skipped, SkipReason
from evaluators.facets import Facet, FacetAnswers
from evaluators.metrics.base import Metric, Needs
from evaluators.metrics.reference import reference_claims
from evaluators.quotes import mentions
from evaluators.sample import RagSample


def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
    """Found as whole words in any chunk / all; the judge names them, the chunks are searched here."""
    compared = reference_claims(answers)
    if isinstance(compared, Failed):
        return compared
    if not compared.entities:
        return Skipped(SkipReason.NO_ENTITIES)
    texts = [chunk.text or "" for chunk in sample.context]
    found = sum(any(mentions(entity, text) for text in texts) for entity in compared.entities)
    return Scored(found / len(compared.entities))


CONTEXT_ENTITIES_RECALL = Metric(
    name="context_entities_recall",
    version="1",
    facets=frozenset({Facet.REFERENCE_CLAIMS}),
    compute=compute,
    threshold=0.70,
    needs=Needs.ANSWER,
)
