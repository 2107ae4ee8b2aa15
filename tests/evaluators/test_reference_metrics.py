"""The worked examples and edge cases of the metrics that compare with a reference, a rubric or a scorer."""

import dataclasses

import pytest

from evaluators.assess import assess, facets_to_ask, ineligible
from evaluators.evaluation import Outcome, Scored, Skipped, SkipReason
from evaluators.facets import (
    AnswerFit,
    CheckedClaim,
    ChunkRelevance,
    Criterion,
    Facet,
    FacetAnswers,
    Grade,
    KeyPoints,
    ReferenceClaim,
    ReferenceClaims,
    Rubric,
)
from evaluators.metrics import METRICS, ONLINE_METRICS
from evaluators.metrics.abstention import AbstentionCase, abstention, abstention_case
from evaluators.metrics.answer_correctness import answer_correctness, f1
from evaluators.sample import RagSample, Reference
from tests.samples import REFUNDS, SHIPPING, answers, sample

WHOLE = Reference(
    "A refund is possible within 30 days.", (REFUNDS,), ("The period is 30 days.", "It runs from purchase."), True
)


def compared(
    *,
    stated: tuple[bool, ...] = (),
    sources: tuple[int | None, ...] = (),
    checked: tuple[tuple[bool, int | None], ...] = (),
    entities: tuple[str, ...] = (),
    similarity: float = 0.0,
    relevance: tuple[float, ...] = (1.0, 0.0),
) -> FacetAnswers:
    reference = [ReferenceClaim(f"reference {i}", said) for i, said in enumerate(stated)]
    reference += [ReferenceClaim(f"claim {i}", False, chunk) for i, chunk in enumerate(sources)]
    claims = tuple(CheckedClaim(f"claim {i}", *one) for i, one in enumerate(checked))
    return FacetAnswers(
        chunk_relevance=ChunkRelevance(relevance),
        reference_claims=ReferenceClaims(tuple(reference), claims, entities, similarity),
    )


def compute(metric: str, given: FacetAnswers, **changes: object) -> Outcome:
    return METRICS[metric].compute(sample(**changes), given)  # type: ignore[arg-type]


def test_context_recall_is_the_share_of_reference_claims_that_the_context_states() -> None:
    assert compute("context_recall", compared(sources=(0, 1, None))) == Scored(2 / 3)


def test_a_reference_that_claims_nothing_is_skipped() -> None:
    for metric in ("context_recall", "answer_correctness", "noise_sensitivity"):
        assert compute(metric, compared()) == Skipped(SkipReason.NO_CLAIMS)
    assert compute("context_entities_recall", compared()) == Skipped(SkipReason.NO_ENTITIES)


def test_entities_are_looked_for_in_the_chunks_by_code() -> None:
    chunks = ("Install GlobalProtect from the portal.", "It runs on macOS  14 and later.", "self-serviced")
    given = compared(entities=("GlobalProtect", "macOS 14", "Self Service"))
    assert compute("context_entities_recall", given, chunks=chunks) == Scored(2 / 3)


def test_an_entity_inside_another_word_is_not_found() -> None:
    assert compute("context_entities_recall", compared(entities=("US",)), chunks=("Customers",)) == Scored(0.0)


def test_answer_correctness_blends_f1_and_similarity() -> None:
    assert f1(1, 2, 1) == pytest.approx(0.40)
    given = compared(stated=(True, False), checked=((True, None), (False, None), (False, None)), similarity=0.88)
    outcome = compute("answer_correctness", given)
    assert isinstance(outcome, Scored)
    assert outcome.value == pytest.approx(0.52)


def test_the_blend_is_part_of_the_version() -> None:
    given = compared(stated=(False,), checked=((False, None),), similarity=0.5)
    assert answer_correctness(0.0).compute(sample(), given) == Scored(0.5)
    assert answer_correctness(1.0).compute(sample(), given) == Scored(0.0)
    assert len({answer_correctness(weight).version for weight in (0.0, 0.75, 1.0)}) == 3
    with pytest.raises(ValueError, match=r"0\.\.1"):
        answer_correctness(1.5)


def test_completeness_is_the_share_of_key_points_covered() -> None:
    assert compute("completeness", FacetAnswers(key_points=KeyPoints((True, False, True, True)))) == Scored(0.75)


def test_noise_sensitivity_is_split_by_the_relevance_of_the_chunk_that_misled() -> None:
    given = compared(checked=((True, 0), (False, 0), (False, 1), (False, 1), (False, None)), relevance=(0.9, 0.1))
    assert compute("noise_sensitivity", given) == Scored(3 / 5)
    assert compute("noise_sensitivity_relevant", given) == Scored(1 / 5)
    assert compute("noise_sensitivity_irrelevant", given) == Scored(2 / 5)
    assert METRICS["noise_sensitivity"].is_bad(0.6)


def test_context_match_takes_the_best_chunk_for_each_expected_passage() -> None:
    expected = ("the red fox", "blue whale song")
    given = sample(chunks=("A fox, THE red!", "blue whale"), reference=Reference(expected_context=expected))
    # {the, red, fox} of {a, fox, the, red}: 3/4; {blue, whale} of {blue, whale, song}: 2/3.
    outcome = METRICS["context_match"].compute(given, FacetAnswers())
    assert isinstance(outcome, Scored)
    assert outcome.value == pytest.approx((3 / 4 + 2 / 3) / 2)


def test_context_match_asks_no_judge() -> None:
    given = sample(reference=Reference(expected_context=(SHIPPING,)))
    metric = METRICS["context_match"]
    assert facets_to_ask(given, [metric]) == frozenset()
    assessment = assess(given, [metric], FacetAnswers(), judge="none", identity="none@1")
    assert assessment.outcome("context_match") == Scored(1.0)


def test_the_rubric_is_the_share_of_criteria_met() -> None:
    given = FacetAnswers(rubric=Rubric((Criterion("Names the period?", True), Criterion("Polite?", False))))
    assert compute("rubric", given) == Scored(0.5)
    assert METRICS["rubric"].is_bad(0.5)


def test_a_grade_is_the_scorers_own() -> None:
    assert compute("grade", FacetAnswers(grade=Grade(0.3, passed=False))) == Scored(0.3)


@pytest.mark.parametrize("name", sorted(METRICS))
def test_without_its_reference_a_metric_is_skipped_and_asks_nothing(name: str) -> None:
    metric = METRICS[name]
    if metric.needs is None:
        assert ineligible(sample(), metric) is None
        return
    for given in (sample(), sample(reference=Reference())):
        assert ineligible(given, metric) == Skipped(SkipReason.NO_REFERENCE)
        assert facets_to_ask(given, [metric]) == frozenset()
    assert ineligible(sample(reference=WHOLE), metric) is None


def test_the_live_metrics_need_no_reference_and_no_definition_of_somebody_else() -> None:
    assert list(ONLINE_METRICS) == [
        *("faithfulness", "hallucination", "answer_relevancy", "context_relevance", "context_precision")
    ]
    assert all(metric.needs is None for metric in ONLINE_METRICS.values())


def test_another_reference_is_another_evaluation_for_the_metrics_that_look_at_it_and_for_no_other() -> None:
    def ids(given: RagSample) -> dict[str, str]:
        metrics = [METRICS["faithfulness"], METRICS["context_recall"]]
        result = assess(given, metrics, answers(), judge="llm", identity="llm@1")
        return {one.metric: one.id for one in result.evaluations}

    one, other = ids(sample(reference=WHOLE)), ids(sample(reference=Reference("Never.")))
    assert one["faithfulness"] == other["faithfulness"] == ids(sample())["faithfulness"]
    assert one["context_recall"] != other["context_recall"]


def test_abstention_is_counted_over_a_dataset() -> None:
    cases = [
        *[AbstentionCase(answerable=False, abstained=True)] * 15,
        *[AbstentionCase(answerable=False, abstained=False)] * 5,
        *[AbstentionCase(answerable=True, abstained=True)] * 6,
        *[AbstentionCase(answerable=True, abstained=False)] * 74,
    ]
    report = abstention(cases)
    assert report.recall.value == 0.75
    assert report.precision.value == 15 / 21
    assert report.false_abstention.value == 0.075
    assert report.hallucination.value == 0.25
    assert report.recall.low < 0.75 < report.recall.high
    assert (report.recall.n, report.precision.n, report.false_abstention.n) == (20, 21, 80)


def test_a_rate_of_nothing_is_known_to_be_unknown() -> None:
    report = abstention([AbstentionCase(answerable=True, abstained=False)])
    assert (report.recall.n, report.precision.n, report.hallucination.n) == (0, 0, 0)


def test_only_labelled_and_judged_samples_are_cases() -> None:
    labelled = sample(reference=dataclasses.replace(WHOLE, answerable=False))
    declined = FacetAnswers(answer_fit=AnswerFit(0.0, abstained=True))

    def case(given: RagSample, said: FacetAnswers) -> AbstentionCase | None:
        return abstention_case(assess(given, [], said, judge="j", identity="j@1"))

    assert case(labelled, declined) == AbstentionCase(answerable=False, abstained=True)
    assert case(labelled, FacetAnswers()) is None
    assert case(sample(), declined) is None


def test_the_facets_of_a_reference_are_asked_once_for_all_its_metrics() -> None:
    metrics = [METRICS[name] for name in ("context_recall", "context_entities_recall", "answer_correctness")]
    assert facets_to_ask(sample(reference=WHOLE), metrics) == {Facet.REFERENCE_CLAIMS}
