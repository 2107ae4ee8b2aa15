"""What the metrics that compare with a reference answer share."""

from evaluators.evaluation import Failed, FailReason
from evaluators.facets import FacetAnswers, ReferenceClaims


def reference_claims(answers: FacetAnswers) -> ReferenceClaims | Failed:
    """The judge's comparison, or the failure to report where it gave none."""
    return answers.reference_claims or Failed(FailReason.MALFORMED, "the judge compared with no reference")
