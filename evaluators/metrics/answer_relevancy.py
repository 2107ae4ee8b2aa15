"""Answer relevancy: how well the answer addresses the question."""

from evaluators.evaluation import Failed, FailReason, Outcome, Scored, Skipped, SkipReason
from evaluators.facets import Facet, FacetAnswers
from evaluators.metrics.base import Metric
from evaluators.sample import RagSample


def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
    """The judge's grade. An honest "I don't know" is reported as abstained and does not lower it."""
    if answers.answer_fit is None:
        return Failed(FailReason.MALFORMED, "the judge did not grade the answer")
    if answers.answer_fit.abstained:
        return Skipped(SkipReason.ABSTAINED)
    return Scored(answers.answer_fit.relevancy)


ANSWER_RELEVANCY = Metric(
    name="answer_relevancy",
    version="1",
    facets=frozenset({Facet.ANSWER_FIT}),
    compute=compute,
    threshold=0.80,
    needs_whole_context=False,
)
