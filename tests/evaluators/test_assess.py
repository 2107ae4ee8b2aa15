"""Eligibility, identity and diagnosis."""

import dataclasses

import pytest

from evaluators.assess import assess, facets_to_ask
from evaluators.diagnosis import diagnose
from evaluators.evaluation import Assessment, Diagnosis, Failed, FailReason, Scored, Skipped, SkipReason
from evaluators.facets import AnswerFit, ChunkRelevance, ClaimSupport, ClaimVerdict, Facet, FacetAnswers, Support
from evaluators.judges.lexical import FACETS, judge
from evaluators.metrics import ONLINE_METRICS
from evaluators.sample import Chunk, RagSample, Readiness
from tests.samples import answers, sample

ALL = tuple(ONLINE_METRICS.values())
YES, NO, NEVER = Support.SUPPORTED, Support.CONTRADICTED, Support.NOT_IN_CONTEXT


def judged(given: RagSample, result: FacetAnswers | Failed | None = None) -> Assessment:
    return assess(given, ALL, result or answers(YES, NO), judge="lexical", identity="groundwatch/lexical@1")


@pytest.mark.parametrize(
    ("readiness", "reason"),
    [
        (Readiness.NO_RETRIEVAL, SkipReason.NO_RETRIEVAL),
        (Readiness.NO_DOCUMENTS, SkipReason.NO_DOCUMENTS),
        (Readiness.NO_TEXT, SkipReason.NO_TEXT),
        (Readiness.NO_ANSWER, SkipReason.NO_ANSWER),
        (Readiness.NO_QUESTION, SkipReason.NO_QUESTION),
    ],
)
def test_a_sample_that_is_not_ready_is_skipped_with_its_own_reason(readiness: Readiness, reason: SkipReason) -> None:
    given = sample(readiness=readiness)
    assert facets_to_ask(given, ALL) == frozenset()
    assert {e.outcome for e in judged(given).evaluations} == {Skipped(reason)}


def test_blank_chunks_are_no_context_and_not_a_perfect_score() -> None:
    assert judged(sample(chunks=("", "  \n"))).outcome("faithfulness") == Skipped(SkipReason.NO_CONTEXT)


@pytest.mark.parametrize("how", ["lost documents", "cut chunk"])
def test_a_context_that_lost_a_part_is_not_judged_for_support_but_the_answer_still_is(how: str) -> None:
    given = sample()
    if how == "lost documents":
        given = dataclasses.replace(given, incomplete=True)
    else:
        given = dataclasses.replace(given, chunks=(Chunk("Refunds: customers may", truncated=True),))
    assert facets_to_ask(given, ALL) == {Facet.ANSWER_FIT}
    assert judged(given).outcome("faithfulness") == Skipped(SkipReason.TRUNCATED)
    assert judged(given).outcome("answer_relevancy") == Scored(1.0)


def test_a_failed_judge_fails_every_eligible_metric() -> None:
    failed = Failed(FailReason.TIMEOUT)
    assert {e.outcome for e in judged(sample(), failed).evaluations} == {failed}


def test_a_repeat_has_the_same_evaluation_ids_and_any_change_has_others() -> None:
    def ids(given: RagSample) -> set[str]:
        return {e.id for e in judged(given).evaluations}

    first = ids(sample())
    assert len(first) == len(ALL)
    assert ids(sample()) == first
    assert not ids(sample(answer="Within 30 days.")) & first
    assert not ids(sample(chunks=("b", "a"))) & ids(sample(chunks=("a", "b")))
    assert not ids(sample(chunks=("ab", ""))) & ids(sample(chunks=("a", "b")))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (answers(YES, relevance=(1.0, 0.0)), Diagnosis.NONE),
        (answers(NO, relevance=(1.0, 0.0)), Diagnosis.GENERATION),
        (answers(YES, relevance=(0.1, 0.0)), Diagnosis.RETRIEVAL),
        (answers(NEVER, relevance=(0.1, 0.0)), Diagnosis.BOTH),
        (answers(YES, relevance=(0.0, 1.0)), Diagnosis.RANKING),
        (answers(abstained=True, relevance=(1.0, 0.0)), Diagnosis.OVER_REFUSAL),
        (answers(abstained=True, relevance=(0.0, 0.0)), Diagnosis.RETRIEVAL),
        (FacetAnswers(), Diagnosis.UNKNOWN),
    ],
)
def test_the_diagnosis_names_the_stage_at_fault(given: FacetAnswers, expected: Diagnosis) -> None:
    assert diagnose(sample(), given) is expected


def drawn(*support: Support, relevancy: float = 0.9, abstained: bool = False) -> FacetAnswers:
    """Claims that each come from the first chunk, whose relevance is graded low; NEVER comes near it only."""
    claims = tuple(ClaimVerdict(f"claim {i}", verdict, chunk=0) for i, verdict in enumerate(support))
    return FacetAnswers(ClaimSupport(claims), ChunkRelevance((0.2, 0.0)), AnswerFit(relevancy, abstained))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (drawn(YES), Diagnosis.NONE),
        (drawn(NO), Diagnosis.GENERATION),
        (drawn(YES, NEVER, NEVER), Diagnosis.GENERATION),
        (drawn(NEVER), Diagnosis.BOTH),
        (drawn(), Diagnosis.RETRIEVAL),
        (drawn(YES, relevancy=0.7), Diagnosis.RETRIEVAL),
        (drawn(NO, relevancy=0.7), Diagnosis.BOTH),
        (drawn(YES, abstained=True), Diagnosis.RETRIEVAL),
    ],
)
def test_a_chunk_that_an_answer_to_the_question_draws_on_was_relevant(given: FacetAnswers, expected: Diagnosis) -> None:
    assert diagnose(sample(), given) is expected


PERIOD, DOG = "What is the return period?", "Can I bring a dog?"
RETURNS, DOGS = "Items can be returned within 14 days.", "Dogs are not allowed in the building."


@pytest.mark.parametrize(
    ("question", "chunk", "answer", "expected"),
    [
        (PERIOD, RETURNS, "Items can be returned within 14 days.", Diagnosis.NONE),
        (PERIOD, RETURNS, "The return period is 14 days.", Diagnosis.NONE),
        (PERIOD, RETURNS, "Items can be returned within 30 days.", Diagnosis.GENERATION),
        (DOG, DOGS, "No, dogs are not allowed in the building.", Diagnosis.NONE),
        (DOG, DOGS, "Yes, dogs are allowed in the building.", Diagnosis.GENERATION),
        (DOG, "The building opens at 9.", "The building opens at 9.", Diagnosis.RETRIEVAL),
        (DOG, "The building opens at 9.", "Dogs love cheese.", Diagnosis.BOTH),
        ("What is the return period of a kettle?", "Kettles weigh 2 kg.", "Kettles weigh 2 kg.", Diagnosis.RETRIEVAL),
    ],
)
def test_the_right_chunk_in_other_words_is_no_fault_of_retrieval(
    question: str, chunk: str, answer: str, expected: Diagnosis
) -> None:
    given = sample(question=question, chunks=(chunk,), answer=answer)
    assert diagnose(given, judge(given, FACETS)) is expected
