"""Abstention: does the application decline where it should, and only there? A metric of a dataset, not of a sample."""

from collections.abc import Iterable
from dataclasses import dataclass

from evaluators.evaluation import Assessment
from evaluators.statistics import Estimate, wilson


@dataclass(frozen=True, slots=True)
class AbstentionCase:
    """Whether the documents hold an answer, and whether the application declined to give one."""

    answerable: bool
    abstained: bool


@dataclass(frozen=True, slots=True)
class AbstentionReport:
    """Rates with their 95% intervals; `n` 0 says that nothing is known of a rate.

    `recall`: of the unanswerable questions, declined. `precision`: of the declined ones, unanswerable.
    `false_abstention`: of the answerable ones, declined. `hallucination`: of the unanswerable ones, answered.
    """

    recall: Estimate
    precision: Estimate
    false_abstention: Estimate
    hallucination: Estimate


def abstention_case(assessment: Assessment) -> AbstentionCase | None:
    """What an assessment says about abstention; None where its label or the judge's word is missing."""
    reference, fit = assessment.sample.reference, assessment.answers.answer_fit
    if reference is None or reference.answerable is None or fit is None:
        return None
    return AbstentionCase(reference.answerable, fit.abstained)


def abstention(cases: Iterable[AbstentionCase]) -> AbstentionReport:
    """Count `cases`."""
    counts = {(answerable, abstained): 0 for answerable in (True, False) for abstained in (True, False)}
    for case in cases:
        counts[case.answerable, case.abstained] += 1
    declined, wrongly_declined = counts[False, True], counts[True, True]
    unanswerable = declined + counts[False, False]
    return AbstentionReport(
        recall=wilson(declined, unanswerable),
        precision=wilson(declined, declined + wrongly_declined),
        false_abstention=wilson(wrongly_declined, wrongly_declined + counts[True, False]),
        hallucination=wilson(counts[False, False], unanswerable),
    )
