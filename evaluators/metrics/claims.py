"""What faithfulness and hallucination share: the share of claims that have a given support."""

from evaluators.evaluation import Failed, FailReason, Outcome, Scored, Skipped, SkipReason
from evaluators.facets import FacetAnswers, Support


def share_of_claims(answers: FacetAnswers, support: Support) -> Outcome:
    """Claims with `support` / all claims. An abstention is no claim about the subject; "Yes." claims nothing."""
    if answers.answer_fit is not None and answers.answer_fit.abstained:
        return Skipped(SkipReason.ABSTAINED)
    if answers.claim_support is None:
        return Failed(FailReason.MALFORMED, "the judge gave no claims")
    claims = answers.claim_support.claims
    if not claims:
        return Skipped(SkipReason.NO_CLAIMS)
    return Scored(sum(claim.support is support for claim in claims) / len(claims))
