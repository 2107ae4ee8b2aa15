"""Completeness: required points that the answer covers / required points."""

from evaluators.evaluation import Failed, FailReason, Outcome, Scored
from evaluators.facets import Facet, FacetAnswers
from evaluators.metrics.base import Metric, Needs
from evaluators.sample import RagSample


def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
    """Covered / all. An answer that declines covers none."""
    if answers.key_points is None or not answers.key_points.covered:
        return Failed(FailReason.MALFORMED, "the judge looked for no key point")
    return Scored(sum(answers.key_points.covered) / len(answers.key_points.covered))


COMPLETENESS = Metric(
    name="completeness",
    version="1",
    facets=frozenset({Facet.KEY_POINTS}),
    compute=compute,
    threshold=0.80,
    needs_whole_context=False,
    needs=Needs.KEY_POINTS,
)
