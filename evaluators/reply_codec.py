"""Replies as JSON: what the cache stores and what a worker process sends back."""

from typing import Any

import orjson

from evaluators.facets import (
    AnswerFit,
    CheckedClaim,
    ChunkRelevance,
    ClaimSupport,
    ClaimVerdict,
    Conflict,
    Criterion,
    FacetAnswers,
    Grade,
    KeyPoints,
    ReferenceClaim,
    ReferenceClaims,
    Rubric,
    Support,
)
from evaluators.judges.base import JudgeReply, Usage


def dump_reply(reply: JudgeReply) -> bytes:
    """JSON of a reply. Raises TypeError for text that is not valid Unicode (lone surrogates)."""
    return orjson.dumps(reply)


def load_reply(data: bytes) -> JudgeReply:
    """The reply that `dump_reply` wrote. Raises ValueError, KeyError or TypeError for anything else."""
    return reply_from(orjson.loads(data))


def reply_from(raw: dict[str, Any]) -> JudgeReply:
    """A reply from its decoded JSON. Raises KeyError, TypeError or ValueError where it is none."""
    return JudgeReply(_answers(raw["answers"]), Usage(**raw["usage"]), raw["model"], tuple(raw["flags"]))


def _answers(raw: dict[str, Any]) -> FacetAnswers:
    support, relevance, fit = raw["claim_support"], raw["chunk_relevance"], raw["answer_fit"]
    # Entries from before a facet existed have no word on it.
    reference, points, rubric, grade = map(raw.get, ("reference_claims", "key_points", "rubric", "grade"))
    return FacetAnswers(
        ClaimSupport(tuple(map(_claim, support["claims"]))) if support else None,
        ChunkRelevance(tuple(relevance["scores"])) if relevance else None,
        AnswerFit(fit["relevancy"], fit["abstained"]) if fit else None,
        _reference(reference) if reference else None,
        KeyPoints(tuple(points["covered"])) if points else None,
        Rubric(tuple(Criterion(**one) for one in rubric["criteria"])) if rubric else None,
        Grade(**grade) if grade else None,
    )


def _reference(raw: dict[str, Any]) -> ReferenceClaims:
    return ReferenceClaims(
        tuple(ReferenceClaim(**claim) for claim in raw["reference"]),
        tuple(CheckedClaim(**claim) for claim in raw["answer"]),
        tuple(raw["entities"]),
        raw["similarity"],
    )


def _claim(raw: dict[str, Any]) -> ClaimVerdict:
    conflict = raw["conflict"]
    return ClaimVerdict(
        raw["claim"],
        Support(raw["support"]),
        raw["chunk"],
        raw["quote"],
        raw["strength"],
        Conflict(**conflict) if conflict else None,
    )
