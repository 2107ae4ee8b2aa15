import json

import pytest

from evaluators.evaluation import FailReason
from evaluators.facets import ONLINE_FACETS, AnswerFit, ChunkRelevance, ClaimVerdict, Conflict, Facet, Support
from evaluators.judges.base import JudgeError
from evaluators.shown import Shown
from evaluators.verdict import read_verdict
from evaluators.verdict_models import MAX_CLAIMS
from tests.samples import REFUNDS, SHIPPING

ALL = ONLINE_FACETS
CHUNKS = (REFUNDS, SHIPPING)


def claim(**changes):
    return {
        "claim": "Refunds are possible within 90 days.",
        "support": "contradicted",
        "chunk": "c1",
        "quote": "within 30 days of purchase",
        "conflict": {"kind": "number", "claimed": "90 days", "found": "30 days"},
        **changes,
    }


def verdict(**changes):
    return {
        "claims": [claim()],
        "relevance": [{"chunk": "c1", "score": 1.0}, {"chunk": "c2", "score": 0}],
        "answer": {"relevancy": 0.9, "abstained": False},
        **changes,
    }


def read(given, facets=ALL):
    return read_verdict(given if isinstance(given, str) else json.dumps(given), facets, Shown(chunks=CHUNKS))


def reason(given, facets=ALL):
    with pytest.raises(JudgeError) as failed:
        read(given, facets)
    return failed.value.reason


def test_a_verdict_becomes_answers():
    answers = read(verdict())
    assert answers.claim_support.claims == (
        ClaimVerdict(
            "Refunds are possible within 90 days.",
            Support.CONTRADICTED,
            0,
            "within 30 days of purchase",
            0.0,
            Conflict("number", "90 days", "30 days"),
        ),
    )
    assert answers.chunk_relevance == ChunkRelevance((1.0, 0.0))
    assert answers.answer_fit == AnswerFit(0.9, abstained=False)


def test_only_what_was_asked_is_answered_and_only_that_must_be_there():
    answers = read({"answer": {"relevancy": 1, "abstained": True}}, frozenset({Facet.ANSWER_FIT}))
    assert answers.answer_fit == AnswerFit(1.0, abstained=True)
    assert answers.claim_support is None
    assert read(verdict(), frozenset({Facet.CLAIM_SUPPORT})).answer_fit is None


@pytest.mark.parametrize("missing", ["claims", "relevance", "answer"])
def test_a_facet_that_is_missing_or_null_is_an_invalid_verdict(missing):
    without = verdict()
    del without[missing]
    assert reason(without) is FailReason.INVALID_VERDICT
    assert reason(verdict(**{missing: None})) is FailReason.INVALID_VERDICT


@pytest.mark.parametrize(
    "relevance",
    [
        [],
        [{"chunk": "c1", "score": 1}],
        [{"chunk": "c1", "score": 1}, {"chunk": "c1", "score": 0}],
        [{"chunk": "c1", "score": 1}, {"chunk": "c3", "score": 0}],
        [{"chunk": "c1", "score": 1}, {"chunk": "kb-12", "score": 0}],
        [{"chunk": "c1", "score": 1}, {"chunk": "c2", "score": 0}, {"chunk": "c2", "score": 0}],
        [{"chunk": 1, "score": 1}, {"chunk": 2, "score": 0}],
    ],
)
def test_relevance_is_one_score_for_each_chunk_asked_about(relevance):
    assert reason(verdict(relevance=relevance)) is FailReason.INVALID_VERDICT


def test_relevance_may_come_in_any_order():
    swapped = [{"chunk": "c2", "score": 0.25}, {"chunk": "c1", "score": 0.75}]
    assert read(verdict(relevance=swapped)).chunk_relevance == ChunkRelevance((0.75, 0.25))


@pytest.mark.parametrize(
    "changes",
    [
        {"chunk": "c3"},
        {"chunk": "c01"},
        {"chunk": "doc-1"},
        {"chunk": None},
        {"quote": None},
        {"quote": ""},
        {"quote": "within 14 days of purchase"},
        {"support": "partially"},
        {"support": None},
        {"claim": ""},
        {"claim": None},
        {"conflict": {"kind": "vibe", "claimed": "a", "found": "b"}},
    ],
)
def test_a_claim_without_evidence_or_of_an_unknown_kind_is_an_invalid_verdict(changes):
    assert reason(verdict(claims=[claim(), claim(**changes)])) is FailReason.INVALID_VERDICT


def test_a_claim_that_no_chunk_supports_needs_no_evidence():
    [read_claim] = read(verdict(claims=[claim(support="not_in_context", chunk=None, quote=None)])).claim_support.claims
    assert (read_claim.support, read_claim.chunk, read_claim.quote) == (Support.NOT_IN_CONTEXT, None, None)


def test_a_quote_from_another_chunk_than_named_is_evidence_where_it_stands():
    [read_claim] = read(verdict(claims=[claim(chunk="c2")])).claim_support.claims
    assert read_claim.chunk == 0


LAMPS = (
    "Prices in euro. Lamp 5 costs \u201c15\u201d euro. Lamp 6 costs -20%. It weighs .5 kg. No dogs are allowed. "
    "\u9000\u6b3e\u514d\u8d39\u3002"
)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Lamp 5 costs 15 euro", "Lamp 5 costs \u201c15\u201d euro."),
        ("lamp 5  costs 15 EURO!", 'lamp 5 costs "15" euro'),
        ("Lamp 5 costs 15 euro.", "Prices in euro. Lamp 5 costs \u201c15\u201d euro. Lamp 6"),
        ("\u9000\u6b3e\u514d\u8d39", "No dogs are allowed. \u9000\u6b3e\u514d\u8d39\u3002"),
    ],
)
def test_a_claim_contradicted_by_its_own_words_is_an_invalid_verdict(text, quote):
    given = verdict(claims=[claim(claim=text, quote=quote)], relevance=[{"chunk": "c1", "score": 1}])
    with pytest.raises(JudgeError, match="contradicted by its own words") as failed:
        read_verdict(json.dumps(given), ALL, Shown(chunks=(LAMPS,)))
    assert failed.value.reason is FailReason.INVALID_VERDICT


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Dogs are allowed.", "No dogs are allowed."),
        ("Lamp 6 costs 20%", "Lamp 6 costs -20%."),
        ("It weighs 5 kg.", "It weighs .5 kg."),
        ("Lamp 6 costs -20", "Lamp 6 costs -20%."),
        ("Lamp 5 costs 51 euro.", "Lamp 5 costs \u201c15\u201d euro."),
    ],
)
def test_a_claim_that_differs_from_its_quote_in_what_counts_stays_contradicted(text, quote):
    given = verdict(claims=[claim(claim=text, quote=quote)], relevance=[{"chunk": "c1", "score": 1}])
    [read_claim] = read_verdict(json.dumps(given), ALL, Shown(chunks=(LAMPS,))).claim_support.claims
    assert read_claim.support is Support.CONTRADICTED


def test_a_quote_is_kept_as_the_chunk_spells_it():
    [read_claim] = read(verdict(claims=[claim(quote="WITHIN  30 days")])).claim_support.claims
    assert read_claim.quote == "within 30 days"


def test_a_supported_claim_has_full_strength_and_no_conflict():
    [read_claim] = read(verdict(claims=[claim(support="supported")])).claim_support.claims
    assert read_claim.strength == 1.0
    assert read_claim.conflict is None


def test_an_answer_that_claims_nothing_has_no_claims():
    assert read(verdict(claims=[])).claim_support.claims == ()


def test_more_claims_than_any_answer_has_are_an_invalid_verdict():
    assert reason(verdict(claims=[claim()] * (MAX_CLAIMS + 1))) is FailReason.INVALID_VERDICT


@pytest.mark.parametrize("text", ["", "I cannot judge this.", "[1, 2]", "null", '"text"', '{"claims": ['])
def test_a_reply_without_an_object_is_malformed(text):
    assert reason(text) is (
        FailReason.INVALID_VERDICT if text in ("null", "[1, 2]", '"text"') else FailReason.MALFORMED
    )


def test_remarks_beside_the_fields_are_ignored():
    assert read(verdict(reasoning="because")) == read(verdict())


def test_the_detail_tells_where_and_holds_nothing_of_the_text():
    with pytest.raises(JudgeError) as failed:
        read(verdict(relevance=[{"chunk": "SECRET", "score": "SECRET"}] * 2))
    assert "relevance.0.score" in failed.value.detail
    assert "SECRET" not in str(failed.value)
