"""Grade: the score of a scorer with a definition of its own: a program, a service, an evaluation library."""

from evaluators.evaluation import Failed, FailReason, Outcome, Scored
from evaluators.facets import Facet, FacetAnswers
from evaluators.metrics.base import Metric
from evaluators.sample import RagSample


def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
    """As it was given; what it means is the scorer's to say, so compare grades of one judge only."""
    if answers.grade is None:
        return Failed(FailReason.MALFORMED, "the judge gave no grade")
    return Scored(answers.grade.score)


GRADE = Metric(
    name="grade",
    version="1",
    facets=frozenset({Facet.GRADE}),
    compute=compute,
    threshold=0.5,
    needs_whole_context=False,
)
