"""Reads what an LLM judge wrote. A verdict is whole, typed, in range and backed by quotes, or it is a failure."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

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
from evaluators.prompt import chunk_id
from evaluators.quotes import find_quote

MAX_CLAIMS = 200
_MAX_CLAIM = 1_000
_MAX_DETAIL = 200
"""Characters. More is cut: the model decides how much it writes, we decide how much we keep."""

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class _Strict(BaseModel):
    # Strict: "0.8" and true are no numbers. Unknown fields are ignored: models add remarks.
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, allow_inf_nan=False, hide_input_in_errors=True)


class _Conflict(_Strict):
    kind: Literal["number", "unit", "date", "name", "negation", "statement"]
    claimed: str
    found: str


class _Claim(_Strict):
    claim: Annotated[str, Field(min_length=1)]
    support: Support
    chunk: str | None
    quote: str | None
    conflict: _Conflict | None = None


class _Relevance(_Strict):
    chunk: str
    score: Share


class _Answer(_Strict):
    relevancy: Share
    abstained: bool


class _Verdict(_Strict):
    claims: Annotated[list[_Claim], Field(max_length=MAX_CLAIMS)] | None = None
    relevance: list[_Relevance] | None = None
    answer: _Answer | None = None


def read_verdict(text: str, facets: frozenset[Facet], chunks: Sequence[str]) -> FacetAnswers:
    """The answers to `facets` in what the model wrote about `chunks`, the texts that it was shown.

    Raises JudgeError: `malformed` where there is no JSON object, `invalid_verdict` where the last one is not a
    complete and consistent verdict. No earlier object, default or coercion takes its place.
    """
    verdict = _parse(text)
    return FacetAnswers(
        _claims(verdict.claims, chunks) if Facet.CLAIM_SUPPORT in facets else None,
        _relevance(verdict.relevance, len(chunks)) if Facet.CHUNK_RELEVANCE in facets else None,
        _fit(verdict.answer) if Facet.ANSWER_FIT in facets else None,
    )


def _parse(text: str) -> _Verdict:
    try:
        # Nearly always the reply is the object and nothing else; looking for it costs more than reading it.
        return _Verdict.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return _parse_last_object(text)
    raise _invalid(".".join(map(str, first["loc"])), first["type"])


def _parse_last_object(text: str) -> _Verdict:
    found = last_object(text)
    if found is None or found == text:
        raise JudgeError(FailReason.MALFORMED, "no JSON object in the judge's reply")
    return _parse(found)


def _claims(claims: Sequence[_Claim] | None, chunks: Sequence[str]) -> ClaimSupport:
    if claims is None:
        raise _invalid("claims", "missing")
    positions = _positions(len(chunks))
    return ClaimSupport(tuple([_claim(claim, chunks, positions) for claim in claims]))


def _claim(claim: _Claim, chunks: Sequence[str], positions: Mapping[str | None, int]) -> ClaimVerdict:
    text = clean(claim.claim[:_MAX_CLAIM])
    named = positions.get(claim.chunk)
    if named is None and claim.chunk is not None:
        raise _invalid("claims", "not a chunk that was asked about")
    if claim.support is Support.NOT_IN_CONTEXT:
        return ClaimVerdict(text, claim.support)
    if named is None or claim.quote is None:
        raise _invalid("claims", f"{claim.support} without chunk and quote")
    chunk, quote = _evidence(claim.quote, named, chunks)
    if claim.support is Support.SUPPORTED:
        return ClaimVerdict(text, claim.support, chunk, quote, strength=1.0)
    return ClaimVerdict(text, claim.support, chunk, quote, conflict=_conflict(claim.conflict))


def _evidence(quote: str, named: int, chunks: Sequence[str]) -> tuple[int, str]:
    """Where `quote` stands, first looked for in the chunk named. A quote that no chunk holds is invented evidence."""
    if found := find_quote(quote, chunks[named]):
        return named, found
    for position, chunk in enumerate(chunks):
        if found := find_quote(quote, chunk):
            return position, found
    raise _invalid("claims", "a quote that is in no chunk")


def _conflict(conflict: _Conflict | None) -> Conflict | None:
    if conflict is None:
        return None
    return Conflict(conflict.kind, clean(conflict.claimed[:_MAX_DETAIL]), clean(conflict.found[:_MAX_DETAIL]))


def _relevance(given: Sequence[_Relevance] | None, count: int) -> ChunkRelevance:
    if given is None:
        raise _invalid("relevance", "missing")
    scores: dict[str | None, float] = {one.chunk: one.score for one in given}
    positions = _positions(count)
    if len(given) != count or scores.keys() != positions.keys():
        raise _invalid("relevance", "not one score for each chunk that was asked about")
    return ChunkRelevance(tuple([scores[name] for name in positions]))


def _fit(answer: _Answer | None) -> AnswerFit:
    if answer is None:
        raise _invalid("answer", "missing")
    return AnswerFit(answer.relevancy, answer.abstained)


@lru_cache(maxsize=64)
def _positions(count: int) -> Mapping[str | None, int]:
    """Position by chunk id, in order; None, which models may say, is no id."""
    return {chunk_id(position): position for position in range(count)}


def _invalid(where: str, what: str) -> JudgeError:
    return JudgeError(FailReason.INVALID_VERDICT, f"{where}: {what}")
