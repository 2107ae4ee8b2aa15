"""Every worked example and edge case of the definitions that concern these metrics."""

import pytest

from evaluators.evaluation import Failed, FailReason, Outcome, Scored, Skipped, SkipReason
from evaluators.facets import FacetAnswers, Support
from evaluators.metrics import METRICS
from evaluators.metrics.context_precision import average_precision
from tests.samples import answers, sample

YES, NO, NEVER = Support.SUPPORTED, Support.CONTRADICTED, Support.NOT_IN_CONTEXT


def compute(metric: str, given: FacetAnswers) -> Outcome:
    return METRICS[metric].compute(sample(), given)


def test_faithfulness_is_the_share_of_supported_claims() -> None:
    assert compute("faithfulness", answers(YES, YES, NEVER)) == Scored(2 / 3)


def test_hallucination_counts_only_contradicted_claims() -> None:
    assert compute("hallucination", answers(YES, NO, NEVER)) == Scored(1 / 3)


def test_an_answer_on_another_subject_is_unfaithful_although_nothing_contradicts_it() -> None:
    given = answers(NEVER, NEVER)
    assert compute("faithfulness", given) == Scored(0.0)
    assert compute("hallucination", given) == Scored(0.0)


@pytest.mark.parametrize(
    ("relevant", "expected"),
    [([1, 0, 1, 0], 0.8333), ([0, 0, 1, 1], 0.4167), ([0, 1], 0.5), ([0, 0], 0.0), ([1], 1.0)],
)
def test_context_precision_is_average_precision(relevant: list[int], expected: float) -> None:
    assert average_precision([bool(x) for x in relevant]) == pytest.approx(expected, abs=1e-4)


def test_context_relevance_is_the_mean_over_chunks_and_ignores_the_answer() -> None:
    assert compute("context_relevance", answers(NO, relevance=(1.0, 0.5))) == Scored(0.75)


def test_no_claims_is_skipped_and_never_a_perfect_score() -> None:
    assert compute("faithfulness", answers()) == Skipped(SkipReason.NO_CLAIMS)


@pytest.mark.parametrize("metric", ["faithfulness", "hallucination", "answer_relevancy"])
def test_an_abstention_is_reported_as_such_and_lowers_nothing(metric: str) -> None:
    assert compute(metric, answers(NEVER, relevancy=0.0, abstained=True)) == Skipped(SkipReason.ABSTAINED)


@pytest.mark.parametrize("metric", sorted(name for name, metric in METRICS.items() if metric.facets))
def test_a_missing_facet_is_a_failure_and_never_a_score(metric: str) -> None:
    outcome = compute(metric, FacetAnswers())
    assert isinstance(outcome, Failed)
    assert outcome.reason is FailReason.MALFORMED


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 1.1])
def test_a_score_outside_zero_to_one_cannot_be_made(value: float) -> None:
    with pytest.raises(ValueError, match=r"0\.\.1"):
        Scored(value)


def test_low_is_bad_for_faithfulness_and_high_is_bad_for_hallucination() -> None:
    assert METRICS["faithfulness"].is_bad(0.5)
    assert not METRICS["faithfulness"].is_bad(0.9)
    assert METRICS["hallucination"].is_bad(0.5)
    assert not METRICS["hallucination"].is_bad(0.0)
