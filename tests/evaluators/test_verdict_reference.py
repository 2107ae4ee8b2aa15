import json

import pytest

from evaluators.evaluation import FailReason
from evaluators.facets import CheckedClaim, Criterion, Facet, ReferenceClaim
from evaluators.judges.base import JudgeError
from evaluators.prompt import build_prompt
from evaluators.sample import Reference
from evaluators.shown import Shown
from evaluators.verdict import read_verdict
from evaluators.verdict_schema import verdict_schema
from tests.samples import REFUNDS, SHIPPING, sample

SHOWN = Shown(
    "How long?",
    (REFUNDS, SHIPPING),
    "You have 30 days, from Monday on.",
    "Refunds by ACME run 30 days.",
    ("30 days", "by ACME"),
)
CRITERIA = ("Does the answer name a period?", "Is it free of promises?", "Does a chunk name the EU?")
FACETS = frozenset({Facet.REFERENCE_CLAIMS, Facet.KEY_POINTS, Facet.RUBRIC})


def verdict(**changes):
    return {
        "reference": [
            {"claim": "30 days", "stated": True, "chunk": "c1", "quote": "within 30 days"},
            {"claim": "by ACME", "stated": False, "chunk": None, "quote": None},
        ],
        "checked": [{"claim": "30 days", "correct": True, "chunk": "c1", "quote": "within 30 days"}],
        "entities": ["ACME", "acme"],
        "similarity": 0.8,
        "points": [
            {"point": "k2", "covered": False, "quote": None},
            {"point": "k1", "covered": True, "quote": "30 days"},
        ],
        "rubric": [
            {"criterion": "r1", "met": True, "where": "answer", "quote": "30 days"},
            {"criterion": "r2", "met": True, "where": None, "quote": None},
            {"criterion": "r3", "met": True, "where": "c2", "quote": "within the EU"},
        ],
        **changes,
    }


def read(given):
    return read_verdict(json.dumps(given), FACETS, SHOWN, CRITERIA)


def test_a_verdict_becomes_answers():
    answers = read(verdict())
    assert answers.reference_claims.reference == (
        ReferenceClaim("30 days", True, 0, "within 30 days"),
        ReferenceClaim("by ACME", False),
    )
    assert answers.reference_claims.answer == (CheckedClaim("30 days", True, 0, "within 30 days"),)
    assert answers.reference_claims.entities == ("ACME",)
    assert answers.reference_claims.similarity == 0.8
    assert answers.key_points.covered == (True, False)
    assert answers.rubric.criteria == (
        Criterion(CRITERIA[0], True, None, "30 days"),
        Criterion(CRITERIA[1], True),
        Criterion(CRITERIA[2], True, 1, "within the EU"),
    )
    assert answers.claim_support is None


CLAIM = {"claim": "x", "stated": True, "chunk": None, "quote": None}
POINT = {"point": "k1", "covered": True, "quote": "30 days"}
MET = {"criterion": "r1", "met": True, "where": None, "quote": None}


@pytest.mark.parametrize(
    "changes",
    [
        {"reference": None},
        {"checked": None},
        {"entities": None},
        {"similarity": None},
        {"similarity": 1.5},
        {"similarity": "0.5"},
        {"reference": [{**CLAIM, "chunk": "c9", "quote": "x"}]},
        {"reference": [{**CLAIM, "chunk": "c1", "quote": "no such words"}]},
        {"reference": [{**CLAIM, "chunk": "c1"}]},
        {"reference": [{**CLAIM, "stated": "yes"}]},
        {"reference": [{**CLAIM, "claim": ""}]},
        {"reference": [CLAIM] * 201},
        {"entities": ["Initech"]},
        {"entities": [""]},
        {"points": None},
        {"points": []},
        {"points": [POINT]},
        {"points": [POINT, POINT]},
        {"points": [POINT, {**POINT, "point": "k3"}]},
        {"points": [POINT, {**POINT, "point": "k2", "quote": "not said"}]},
        {"points": [POINT, {**POINT, "point": "k2", "quote": None}]},
        {"rubric": None},
        {"rubric": [MET]},
        {"rubric": [MET, MET, MET]},
        {"rubric": [{**MET, "criterion": f"r{i}", "where": "answer", "quote": "not said"} for i in (1, 2, 3)]},
        {"rubric": [{**MET, "criterion": f"r{i}", "where": "c7", "quote": "x"} for i in (1, 2, 3)]},
        {"rubric": [{**MET, "criterion": f"r{i}", "where": "c1"} for i in (1, 2, 3)]},
        {"rubric": [{**MET, "criterion": f"r{i}", "met": 1} for i in (1, 2, 3)]},
    ],
)
def test_a_part_that_is_missing_unproven_or_not_asked_about_is_an_invalid_verdict(changes):
    with pytest.raises(JudgeError) as failed:
        read(verdict(**changes))
    assert failed.value.reason is FailReason.INVALID_VERDICT


def test_reference_and_key_points_are_data_inside_fences_and_criteria_are_the_task():
    given = sample(reference=Reference("Within 30 days.", (), ("The period", "The start")))
    built = build_prompt(given, FACETS, 16_000, rubric=CRITERIA, token=lambda: "TOKEN")
    assert "The reference answer:\n<<<TOKEN\nWithin 30 days.\nTOKEN>>>" in built.user
    assert "Key point k2:\n<<<TOKEN\nThe start\nTOKEN>>>" in built.user
    assert f"  r3: {CRITERIA[2]}" in built.system
    assert "Within 30 days" not in built.system


def test_a_live_prompt_says_nothing_of_references():
    built = build_prompt(sample(reference=Reference("Within 30 days.")), frozenset({Facet.CLAIM_SUPPORT}), 16_000)
    assert "eference" not in built.system + built.user


def test_the_schema_requires_every_field_of_a_facet():
    required = verdict_schema(FACETS)["required"]
    assert required == ["reference", "checked", "entities", "similarity", "points", "rubric"]
