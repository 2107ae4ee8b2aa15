import orjson

from evaluators.facets import (
    ONLINE_FACETS,
    CheckedClaim,
    Criterion,
    FacetAnswers,
    Grade,
    KeyPoints,
    ReferenceClaim,
    ReferenceClaims,
    Rubric,
)
from evaluators.judges.base import JudgeReply
from evaluators.reply_codec import dump_reply, load_reply
from tests.samples import good_answers, sample


def test_every_facet_survives_the_way_through_the_cache():
    whole = JudgeReply(
        FacetAnswers(
            reference_claims=ReferenceClaims(
                (ReferenceClaim("r", True, 0, "q"), ReferenceClaim("s", False)),
                (CheckedClaim("c", False, 1, "p"),),
                ("E",),
            ),
            key_points=KeyPoints((True, False)),
            rubric=Rubric((Criterion("Polite?", True, None, "please"),)),
            grade=Grade(0.5, passed=True, reason="because"),
        )
    )
    assert load_reply(dump_reply(whole)) == whole


def test_an_entry_from_before_a_facet_existed_is_still_read():
    reply = JudgeReply(good_answers(sample(), ONLINE_FACETS))
    old = orjson.loads(dump_reply(reply))
    old["answers"] = {name: old["answers"][name] for name in ("claim_support", "chunk_relevance", "answer_fit")}
    assert load_reply(orjson.dumps(old)) == reply
