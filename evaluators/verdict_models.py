"""The shape of what an LLM judge writes."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from evaluators.facets import Support

MAX_CLAIMS = 200
"""Of one answer; more is no answer but an attack."""

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Text = Annotated[str, Field(min_length=1)]


class Strict(BaseModel):
    """Strict: "0.8" and true are no numbers. Unknown fields are ignored: models add remarks."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, allow_inf_nan=False, hide_input_in_errors=True)


class ConflictModel(Strict):
    """Where claim and chunk disagree."""

    kind: Literal["number", "unit", "date", "name", "negation", "statement"]
    claimed: str
    found: str


class ClaimModel(Strict):
    """A claim of the answer against the chunks."""

    claim: Text
    support: Support
    chunk: str | None
    quote: str | None
    conflict: ConflictModel | None = None


class RelevanceModel(Strict):
    """The grade of one chunk."""

    chunk: str
    score: Share


class AnswerModel(Strict):
    """How the answer fits the question."""

    relevancy: Share
    abstained: bool


class ReferenceModel(Strict):
    """A claim of the reference answer."""

    claim: Text
    stated: bool
    chunk: str | None
    quote: str | None


class CheckedModel(Strict):
    """A claim of the answer against the reference answer."""

    claim: Text
    correct: bool
    chunk: str | None
    quote: str | None


class PointModel(Strict):
    """A key point."""

    point: str
    covered: bool
    quote: str | None


class CriterionModel(Strict):
    """A criterion of the rubric."""

    criterion: str
    met: bool
    where: str | None
    quote: str | None


class VerdictModel(Strict):
    """A whole verdict; what was not asked may be missing."""

    claims: Annotated[list[ClaimModel], Field(max_length=MAX_CLAIMS)] | None = None
    relevance: list[RelevanceModel] | None = None
    answer: AnswerModel | None = None
    reference: Annotated[list[ReferenceModel], Field(max_length=MAX_CLAIMS)] | None = None
    checked: Annotated[list[CheckedModel], Field(max_length=MAX_CLAIMS)] | None = None
    entities: Annotated[list[Text], Field(max_length=MAX_CLAIMS)] | None = None
    similarity: Share | None = None
    points: list[PointModel] | None = None
    rubric: list[CriterionModel] | None = None
