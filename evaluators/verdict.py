"""Reads what an LLM judge wrote. A verdict is whole, typed, in range and backed by quotes, or it is a failure."""

from collections.abc import Sequence

from pydantic import ValidationError

from evaluators.clean_text import clean
from evaluators.evaluation import FailReason
from evaluators.extraction import last_object
from evaluators.facets import (
    AnswerFit,
    ChunkRelevance,
    ClaimSupport,
    ClaimVerdict,
    Conflict,
    Facet,
    FacetAnswers,
    Support,
)
from evaluators.judges.base import JudgeError
from evaluators.quotes import repeats
from evaluators.shown import Shown
from evaluators.verdict_evidence import claim_text, evidence, invalid, position_of, positions
from evaluators.verdict_models import (
    AnswerModel,
    ClaimModel,
    ConflictModel,
    RelevanceModel,
    VerdictModel,
)
from evaluators.verdict_reference import key_points, reference_claims, rubric

_MAX_DETAIL = 200
"""Characters. More is cut: the model decides how much it writes, we decide how much we keep."""


def read_verdict(text: str, facets: frozenset[Facet], shown: Shown, criteria: Sequence[str] = ()) -> FacetAnswers:
    """The answers to `facets` in what the model wrote about the texts it was `shown` and the rubric's `criteria`.

    Raises JudgeError: `malformed` where there is no JSON object, `invalid_verdict` where the last one is not a
    complete and consistent verdict. No earlier object, default or coercion takes its place.
    """
    verdict = _parse(text)
    return FacetAnswers(
        _claims(verdict.claims, shown.chunks) if Facet.CLAIM_SUPPORT in facets else None,
        _relevance(verdict.relevance, len(shown.chunks)) if Facet.CHUNK_RELEVANCE in facets else None,
        _fit(verdict.answer) if Facet.ANSWER_FIT in facets else None,
        reference_claims(verdict, shown) if Facet.REFERENCE_CLAIMS in facets else None,
        key_points(verdict.points, shown) if Facet.KEY_POINTS in facets else None,
        rubric(verdict.rubric, criteria, shown) if Facet.RUBRIC in facets else None,
    )


def _parse(text: str) -> VerdictModel:
    try:
        # Nearly always the reply is the object and nothing else; looking for it costs more than reading it.
        return VerdictModel.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return _parse_last_object(text)
    raise invalid(".".join(map(str, first["loc"])), first["type"])


def _parse_last_object(text: str) -> VerdictModel:
    found = last_object(text)
    if found is None or found == text:
        raise JudgeError(FailReason.MALFORMED, "no JSON object in the judge's reply")
    return _parse(found)


def _claims(claims: Sequence[ClaimModel] | None, chunks: Sequence[str]) -> ClaimSupport:
    if claims is None:
        raise invalid("claims", "missing")
    return ClaimSupport(tuple([_claim(claim, chunks) for claim in claims]))


def _claim(claim: ClaimModel, chunks: Sequence[str]) -> ClaimVerdict:
    text = claim_text(claim.claim)
    named = position_of("claims", claim.chunk, len(chunks))
    if claim.support is Support.NOT_IN_CONTEXT:
        return ClaimVerdict(text, claim.support)
    if named is None:
        raise invalid("claims", f"{claim.support} without a chunk")
    chunk, quote = evidence("claims", claim.quote, named, chunks)
    if claim.support is Support.SUPPORTED:
        return ClaimVerdict(text, claim.support, chunk, quote, strength=1.0)
    if repeats(claim.claim, quote):
        raise invalid("claims", "contradicted by its own words")
    return ClaimVerdict(text, claim.support, chunk, quote, conflict=_conflict(claim.conflict))


def _conflict(conflict: ConflictModel | None) -> Conflict | None:
    if conflict is None:
        return None
    return Conflict(conflict.kind, clean(conflict.claimed[:_MAX_DETAIL]), clean(conflict.found[:_MAX_DETAIL]))


def _relevance(given: Sequence[RelevanceModel] | None, count: int) -> ChunkRelevance:
    if given is None:
        raise invalid("relevance", "missing")
    scores: dict[str | None, float] = {one.chunk: one.score for one in given}
    names = positions(count)
    if len(given) != count or scores.keys() != names.keys():
        raise invalid("relevance", "not one score for each chunk that was asked about")
    return ChunkRelevance(tuple([scores[name] for name in names]))


def _fit(answer: AnswerModel | None) -> AnswerFit:
    if answer is None:
        raise invalid("answer", "missing")
    return AnswerFit(answer.relevancy, answer.abstained)
