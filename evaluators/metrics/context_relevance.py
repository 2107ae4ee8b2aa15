"""Context relevance: mean relevance of the retrieved chunks to the question. Ignores the answer."""

from statistics import fmean

from evaluators.evaluation import Failed, FailReason, Outcome, Scored
from evaluators.facets import Facet, FacetAnswers
from evaluators.metrics.base import Metric
from evaluators.sample import RagSample


def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
    """Mean over the chunks of relevance(question, chunk)."""
    if answers.chunk_relevance is None or not answers.chunk_relevance.scores:
        return Failed(FailReason.MALFORMED, "the judge graded no chunk")
    return Scored(fmean(answers.chunk_relevance.scores))


CONTEXT_RELEVANCE = Metric(
    name="context_relevance",
    version="1",
    facets=frozenset({Facet.CHUNK_RELEVANCE}),
    compute=compute,
    # One good chunk among five is what retrievers with a fixed top-k return for many questions.
    threshold=0.20,
)
