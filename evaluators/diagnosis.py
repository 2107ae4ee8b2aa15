"""Root cause of a weak answer: was the context relevant, was the answer faithful to it?"""

from evaluators.evaluation import Diagnosis, Scored
from evaluators.facets import FacetAnswers, Support
from evaluators.metrics.context_precision import CONTEXT_PRECISION, RELEVANT
from evaluators.metrics.context_precision import compute as context_precision
from evaluators.metrics.faithfulness import FAITHFULNESS
from evaluators.sample import RagSample


def diagnose(sample: RagSample, answers: FacetAnswers) -> Diagnosis:
    """Where to look first. UNKNOWN where a facet that it needs was not answered.

    The context counts as relevant when its best chunk is: a good chunk behind noise is a ranking problem, not a
    retrieval one. An abstention adds nothing of its own, so it counts as faithful.
    """
    if answers.chunk_relevance is None or answers.claim_support is None or answers.answer_fit is None:
        return Diagnosis.UNKNOWN
    relevant = max(answers.chunk_relevance.scores, default=0.0) >= RELEVANT
    if answers.answer_fit.abstained:
        return Diagnosis.OVER_REFUSAL if relevant else Diagnosis.RETRIEVAL
    claims = answers.claim_support.claims
    supported = sum(claim.support is Support.SUPPORTED for claim in claims)
    faithful = not claims or not FAITHFULNESS.is_bad(supported / len(claims))
    if not relevant:
        return Diagnosis.RETRIEVAL if faithful else Diagnosis.BOTH
    if not faithful:
        return Diagnosis.GENERATION
    precision = context_precision(sample, answers)
    badly_ranked = isinstance(precision, Scored) and CONTEXT_PRECISION.is_bad(precision.value)
    return Diagnosis.RANKING if badly_ranked else Diagnosis.NONE
