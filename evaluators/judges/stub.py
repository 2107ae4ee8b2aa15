"""A judge that says what it is told to say: for tests of rules, dashboards and pipelines, never for a real service."""

import asyncio
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from evaluators.evaluation import FailReason
from evaluators.facets import (
    AnswerFit,
    CheckedClaim,
    ChunkRelevance,
    ClaimSupport,
    ClaimVerdict,
    Criterion,
    Facet,
    FacetAnswers,
    Grade,
    KeyPoints,
    ReferenceClaim,
    ReferenceClaims,
    Rubric,
    Support,
)
from evaluators.judges.base import JudgeError, JudgeIdentity, JudgeReply
from evaluators.judges.settings import Name
from evaluators.sample import RagSample

_QUOTE = 200


class StubSettings(BaseModel):
    """`support` is said of the one claim, `score` is every score; with `fail` every call fails for that reason."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    type: Literal["stub"] = "stub"
    name: Name = "stub"
    support: Support = Support.SUPPORTED
    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 1.0
    abstained: bool = False
    fail: FailReason | None = None
    delay_s: Annotated[float, Field(ge=0, le=600, allow_inf_nan=False)] = 0.0

    @property
    def facets(self) -> frozenset[Facet]:
        """All of them."""
        return frozenset(Facet)


class StubJudge:
    """Answers at once, or after `delay_s`, the same to everything."""

    remote = False

    def __init__(self, settings: StubSettings | None = None) -> None:
        self._settings = settings or StubSettings()
        self.facets = self._settings.facets
        told = self._settings.model_dump(mode="json", exclude={"type", "name", "delay_s"})
        parameters = {key: str(value) for key, value in told.items()}
        self.identity = JudgeIdentity(self._settings.name, "groundwatch", "stub", "1", parameters)

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        """What the settings say."""
        if self._settings.delay_s:
            await asyncio.sleep(self._settings.delay_s)
        if self._settings.fail is not None:
            raise JudgeError(self._settings.fail, "as told")
        whole = _answers(self._settings, sample)
        return JudgeReply(FacetAnswers(**{facet.value: getattr(whole, facet.value) for facet in facets}))

    async def aclose(self) -> None:
        """Nothing to close."""


def _answers(settings: StubSettings, sample: RagSample) -> FacetAnswers:
    score, good = settings.score, settings.score >= 0.5
    where, quote = (0, (sample.context[0].text or "")[:_QUOTE]) if sample.context else (None, None)
    if settings.support is Support.NOT_IN_CONTEXT or where is None:
        claim = ClaimVerdict("a claim", Support.NOT_IN_CONTEXT)
    else:
        claim = ClaimVerdict("a claim", settings.support, where, quote, score)
    points = sample.reference.key_points if sample.reference else ()
    reference = ReferenceClaim("a claim", good, *((where, quote) if good else (None, None)))
    return FacetAnswers(
        ClaimSupport((claim,)),
        ChunkRelevance((score,) * len(sample.context)),
        AnswerFit(score, settings.abstained),
        ReferenceClaims((reference,), (CheckedClaim("a claim", good),), (), score),
        KeyPoints((good,) * len(points)),
        Rubric((Criterion("a criterion", good),)),
        Grade(score, good, "as told"),
    )
