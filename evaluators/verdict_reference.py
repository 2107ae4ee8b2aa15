"""Reads what an LLM judge wrote about reference answer, key points and rubric."""

from collections.abc import Sequence

from evaluators.asks import criterion_id, point_id
from evaluators.facets import CheckedClaim, Criterion, KeyPoints, ReferenceClaim, ReferenceClaims, Rubric
from evaluators.quotes import find_quote
from evaluators.shown import Shown
from evaluators.verdict_evidence import claim_text, evidence, invalid, position_of
from evaluators.verdict_models import CheckedModel, CriterionModel, PointModel, ReferenceModel, VerdictModel

_ANSWER = "answer"


def reference_claims(verdict: VerdictModel, shown: Shown) -> ReferenceClaims:
    """The comparison with the reference answer. Raises JudgeError for evidence that the texts do not hold."""
    if verdict.reference is None or verdict.checked is None or verdict.entities is None or verdict.similarity is None:
        raise invalid("reference", "reference, checked, entities and similarity belong together")
    return ReferenceClaims(
        tuple(
            ReferenceClaim(claim_text(claim.claim), claim.stated, *_source("reference", claim, shown))
            for claim in verdict.reference
        ),
        tuple(
            CheckedClaim(claim_text(claim.claim), claim.correct, *_source("checked", claim, shown))
            for claim in verdict.checked
        ),
        _entities(verdict.entities, shown.reference or ""),
        verdict.similarity,
    )


def key_points(points: Sequence[PointModel] | None, shown: Shown) -> KeyPoints:
    """Which points are covered. Raises JudgeError unless each was answered once, with a quote where it is covered."""
    expected = [point_id(position) for position in range(len(shown.key_points))]
    if points is None or sorted(point.point for point in points) != sorted(expected):
        raise invalid("points", "not one verdict for each key point that was asked about")
    if any(point.covered and not find_quote(point.quote or "", shown.answer or "") for point in points):
        raise invalid("points", "covered without a quote of the answer")
    covered = {point.point: point.covered for point in points}
    return KeyPoints(tuple(covered[name] for name in expected))


def rubric(criteria: Sequence[CriterionModel] | None, texts: Sequence[str], shown: Shown) -> Rubric:
    """The verdicts on the operator's criteria, `texts`. Raises JudgeError unless each was answered once."""
    expected = [criterion_id(position) for position in range(len(texts))]
    if criteria is None or sorted(one.criterion for one in criteria) != sorted(expected):
        raise invalid("rubric", "not one verdict for each criterion that was asked about")
    given = {one.criterion: one for one in criteria}
    return Rubric(tuple(_criterion(text, given[name], shown) for name, text in zip(expected, texts, strict=True)))


def _criterion(text: str, given: CriterionModel, shown: Shown) -> Criterion:
    if given.where is None:
        return Criterion(text, given.met)
    if given.where == _ANSWER:
        if (quote := find_quote(given.quote or "", shown.answer or "")) is None:
            raise invalid("rubric", "a quote that is not in the answer")
        return Criterion(text, given.met, None, quote)
    named = position_of("rubric", given.where, len(shown.chunks))
    assert named is not None  # noqa: S101 `where` is not null here
    return Criterion(text, given.met, *evidence("rubric", given.quote, named, shown.chunks))


def _source(where: str, claim: ReferenceModel | CheckedModel, shown: Shown) -> tuple[int | None, str | None]:
    named = position_of(where, claim.chunk, len(shown.chunks))
    return (None, None) if named is None else evidence(where, claim.quote, named, shown.chunks)


def _entities(given: Sequence[str], reference: str) -> tuple[str, ...]:
    found = [find_quote(name, reference) for name in given]
    if None in found:
        raise invalid("entities", "a name that is not in the reference answer")
    return tuple(dict.fromkeys(name for name in found if name is not None))
