"""Answer correctness: claims in common with the reference answer (F1), blended with likeness in meaning."""

from evaluators.evaluation import Failed, Outcome, Scored, Skipped, SkipReason
from evaluators.facets import Facet, FacetAnswers
from evaluators.metrics.base import Metric, Needs
from evaluators.metrics.reference import reference_claims
from evaluators.sample import RagSample

F1_WEIGHT = 0.75
"""The rest of the weight is that of the similarity."""


def f1(true_positives: int, false_positives: int, false_negatives: int) -> float:
    """TP / (TP + (FP + FN) / 2); 0 where there is nothing in common.

    >>> f1(1, 2, 1)
    0.4
    """
    wrong = (false_positives + false_negatives) / 2
    return true_positives / (true_positives + wrong) if true_positives else 0.0


def answer_correctness(f1_weight: float = F1_WEIGHT) -> Metric:
    """The metric with another blend; weights are part of its version. Raises ValueError for a weight outside 0..1."""
    if not 0.0 <= f1_weight <= 1.0:
        raise ValueError(f"f1_weight is in 0..1, not {f1_weight!r}")

    def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
        compared = reference_claims(answers)
        if isinstance(compared, Failed):
            return compared
        if not (compared.answer or compared.reference):
            return Skipped(SkipReason.NO_CLAIMS)
        right = sum(claim.correct for claim in compared.answer)
        missing = sum(not claim.stated for claim in compared.reference)
        common = f1(right, len(compared.answer) - right, missing)
        return Scored(min(1.0, f1_weight * common + (1.0 - f1_weight) * compared.similarity))

    return Metric(
        name="answer_correctness",
        version="1" if f1_weight == F1_WEIGHT else f"1?f1_weight={f1_weight:g}",
        facets=frozenset({Facet.REFERENCE_CLAIMS}),
        compute=compute,
        threshold=0.70,
        needs_whole_context=False,
        needs=Needs.ANSWER,
    )


ANSWER_CORRECTNESS = answer_correctness()
