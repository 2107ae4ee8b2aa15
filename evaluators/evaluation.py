"""The outcome of a metric on a sample. "No score" is a type: never NaN, 0 or 1.0."""

import math
from dataclasses import dataclass, field
from enum import StrEnum

from evaluators.facets import FacetAnswers
from evaluators.sample import RagSample


class SkipReason(StrEnum):
    """Why a metric has nothing to say, although nothing went wrong."""

    NO_RETRIEVAL = "no_retrieval"
    NO_CONTEXT = "no_context"
    NO_DOCUMENTS = "no_documents"
    NO_TEXT = "no_text"
    NO_ANSWER = "no_answer"
    NO_QUESTION = "no_question"
    NO_CLAIMS = "no_claims"
    NO_ENTITIES = "no_entities"
    NO_REFERENCE = "no_reference"
    ABSTAINED = "abstained"
    TOO_LONG = "too_long"
    TRUNCATED = "truncated"
    PARTIAL = "partial"
    SAMPLED_OUT = "sampled_out"
    EXCLUDED = "excluded"
    BUDGET = "budget"
    SHED = "shed"


class FailReason(StrEnum):
    """Why a judge that was asked gave no usable answer."""

    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    MALFORMED = "malformed"
    INVALID_VERDICT = "invalid_verdict"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    CONTENT_FILTER = "content_filter"
    UNAUTHORIZED = "unauthorized"
    UNAVAILABLE = "unavailable"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Scored:
    """A value in 0..1. Raises ValueError for anything else, NaN included."""

    value: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and 0.0 <= self.value <= 1.0):
            raise ValueError(f"a score is a finite number in 0..1, not {self.value!r}")


@dataclass(frozen=True, slots=True)
class Skipped:
    """Not eligible, or not looked at on purpose."""

    reason: SkipReason


@dataclass(frozen=True, slots=True)
class Failed:
    """Eligible, asked, and no usable answer. `detail` is for operators: no content of the trace, no secret."""

    reason: FailReason
    detail: str = ""


Outcome = Scored | Skipped | Failed


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One metric on one sample by one judge. `id` is deterministic, so a repeat is recognised as such."""

    id: str
    metric: str
    version: str
    judge: str
    outcome: Outcome


class Diagnosis(StrEnum):
    """Root cause of a weak answer, from context relevance x faithfulness (METRICS: diagnosis per sample)."""

    NONE = "none"
    RETRIEVAL = "retrieval"
    RANKING = "ranking"
    GENERATION = "generation"
    BOTH = "both"
    OVER_REFUSAL = "over_refusal"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Assessment:
    """Everything one judge has to say about one sample.

    `judge` is the configured name (a label), `identity` says exactly who judged (provider, model, versions).
    `age_s` is the time from the trace's closing to this verdict. `cached` marks a verdict that cost no call.
    """

    sample: RagSample
    judge: str
    identity: str
    evaluations: tuple[Evaluation, ...]
    answers: FacetAnswers = field(default_factory=FacetAnswers)
    diagnosis: Diagnosis = Diagnosis.UNKNOWN
    age_s: float = 0.0
    cached: bool = False

    def outcome(self, metric: str) -> Outcome | None:
        """The outcome of `metric`, None where it was not part of the judgement."""
        return next((e.outcome for e in self.evaluations if e.metric == metric), None)
