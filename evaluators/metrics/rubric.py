"""Rubric: the operator's own yes/no criteria, met / all."""

from evaluators.evaluation import Failed, FailReason, Outcome, Scored
from evaluators.facets import Facet, FacetAnswers
from evaluators.metrics.base import Metric
from evaluators.sample import RagSample


def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
    """Met / all, with the evidence in the answers."""
    if answers.rubric is None or not answers.rubric.criteria:
        return Failed(FailReason.MALFORMED, "the judge looked at no criterion")
    return Scored(sum(one.met for one in answers.rubric.criteria) / len(answers.rubric.criteria))


RUBRIC = Metric(
    name="rubric",
    version="1",
    facets=frozenset({Facet.RUBRIC}),
    compute=compute,
    threshold=1.0,
    needs_whole_context=False,
)
