"""Root cause of a weak answer: was the context relevant, was the answer faithful to it?"""

from evaluators.evaluation import Diagnosis, Scored
from evaluators.facets import AnswerFit, ClaimSupport, FacetAnswers, Support
from evaluators.metrics.answer_relevancy import ANSWER_RELEVANCY
from evaluators.metrics.context_precision import CONTEXT_PRECISION, RELEVANT
from evaluators.metrics.context_precision import compute as context_precision
from evaluators.metrics.faithfulness import FAITHFULNESS
from evaluators.sample import RagSample


def diagnose(sample: RagSample, answers: FacetAnswers) -> Diagnosis:
    """Where to look first. UNKNOWN where a facet that it needs was not answered.

    The context counts as relevant when its best chunk is: a good chunk behind noise is a ranking problem, not a
    retrieval one. It also does where the answer addresses the question and draws on a chunk, rightly or wrongly: then
    that chunk was of use, however few words it shares with the question. An abstention adds nothing of its own, so it
    counts as faithful.
    """
    if answers.chunk_relevance is None or answers.claim_support is None or answers.answer_fit is None:
        return Diagnosis.UNKNOWN
    graded_relevant = max(answers.chunk_relevance.scores, default=0.0) >= RELEVANT
    if answers.answer_fit.abstained:
        return Diagnosis.OVER_REFUSAL if graded_relevant else Diagnosis.RETRIEVAL
    claims = answers.claim_support.claims
    supported = sum(claim.support is Support.SUPPORTED for claim in claims)
    faithful = not claims or not FAITHFULNESS.is_bad(supported / len(claims))
    if not graded_relevant and not _was_of_use(answers.claim_support, answers.answer_fit):
        return Diagnosis.RETRIEVAL if faithful else Diagnosis.BOTH
    if not faithful:
        return Diagnosis.GENERATION
    if not graded_relevant:
        return Diagnosis.NONE
    precision = context_precision(sample, answers)
    badly_ranked = isinstance(precision, Scored) and CONTEXT_PRECISION.is_bad(precision.value)
    return Diagnosis.RANKING if badly_ranked else Diagnosis.NONE


def _was_of_use(support: ClaimSupport, fit: AnswerFit) -> bool:
    """Whether the answer drew on a chunk for what was asked; one beside the question could be drawn from any chunk."""
    drawn = any(claim.chunk is not None and claim.support is not Support.NOT_IN_CONTEXT for claim in support.claims)
    return drawn and not ANSWER_RELEVANCY.is_bad(fit.relevancy)
