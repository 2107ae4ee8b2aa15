"""Verdicts that alert tests start from."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from evaluators.evaluation import (
    Assessment,
    Diagnosis,
    Evaluation,
    Failed,
    FailReason,
    Outcome,
    Scored,
    Skipped,
    SkipReason,
)
from evaluators.facets import ClaimSupport, ClaimVerdict, Conflict, FacetAnswers, Support
from evaluators.sample import Chunk, RagSample, Readiness, Suspicion

ANSWER = "You can get a full refund within 90 days of purchase."
QUOTE = "customers may return any product for a full refund within 30 days of purchase."
CHUNKS = (
    Chunk(f"Refunds: {QUOTE}", "refund-policy#1", 0.83, "kb"),
    Chunk("Shipping: standard delivery takes 3 to 5 business days within the EU.", "shipping#2", 0.61, "kb"),
)

CONTRADICTED = ClaimVerdict(
    ANSWER, Support.CONTRADICTED, 0, QUOTE, 0.7, Conflict("number", claimed="90 days", found="30 days")
)
UNSUPPORTED = ClaimVerdict("We also send a voucher.", Support.NOT_IN_CONTEXT, strength=0.1)
SUPPORTED = ClaimVerdict("Delivery takes 3 to 5 days.", Support.SUPPORTED, 1, "delivery takes 3 to 5", 0.9)


def trace_id(number: int) -> str:
    """32 hex digits."""
    return f"{number:032x}"


def assessment(
    number: int = 1,
    *claims: ClaimVerdict,
    service: str = "shop-assistant",
    judge: str = "lexical",
    outcomes: Mapping[str, Outcome] | None = None,
    diagnosis: Diagnosis = Diagnosis.NONE,
    revision: int = 0,
    attributes: Mapping[str, str] | None = None,
    suspicions: tuple[Suspicion, ...] = (),
) -> Assessment:
    """A verdict on trace `number`. Faithfulness and hallucination follow from the claims unless `outcomes` says so."""
    sample = RagSample(
        trace_id(number),
        service,
        Readiness.RAG,
        "Within how many days?",
        CHUNKS,
        ANSWER,
        attributes=attributes or {},
        revision=revision,
        suspicions=suspicions,
    )
    scores = outcomes if outcomes is not None else _scores(claims or (SUPPORTED,))
    evaluations = tuple(
        Evaluation(_id(number, name, judge, revision), name, "1", judge, outcome) for name, outcome in scores.items()
    )
    answers = FacetAnswers(ClaimSupport(claims or (SUPPORTED,)))
    return Assessment(sample, judge, f"test/{judge}@1", evaluations, answers, diagnosis)


def good(number: int, **rest: object) -> Assessment:
    """Every claim is supported."""
    return assessment(number, SUPPORTED, **rest)  # type: ignore[arg-type]


def unsupported(number: int, **rest: object) -> Assessment:
    """The claim is not in the context."""
    return assessment(number, UNSUPPORTED, diagnosis=Diagnosis.GENERATION, **rest)  # type: ignore[arg-type]


def contradicted(number: int, **rest: object) -> Assessment:
    """The answer says 90 days, the chunk says 30."""
    return assessment(number, CONTRADICTED, diagnosis=Diagnosis.GENERATION, **rest)  # type: ignore[arg-type]


def failed(number: int, reason: FailReason = FailReason.UNAVAILABLE, **rest: object) -> Assessment:
    """The judge gave no answer."""
    return _same(number, Failed(reason), **rest)


def skipped(number: int, reason: SkipReason = SkipReason.NO_TEXT, **rest: object) -> Assessment:
    """Nothing was asked."""
    return _same(number, Skipped(reason), **rest)


def _same(number: int, outcome: Outcome, **rest: object) -> Assessment:
    outcomes = {"faithfulness": outcome, "hallucination": outcome}
    made = assessment(number, outcomes=outcomes, **rest)  # type: ignore[arg-type]
    return replace(made, answers=FacetAnswers())


def _scores(claims: tuple[ClaimVerdict, ...]) -> dict[str, Outcome]:
    def share(support: Support) -> Scored:
        return Scored(sum(claim.support is support for claim in claims) / len(claims))

    return {"faithfulness": share(Support.SUPPORTED), "hallucination": share(Support.CONTRADICTED)}


def _id(number: int, metric: str, judge: str, revision: int) -> str:
    return hashlib.sha256(f"{number} {metric} {judge} {revision}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
