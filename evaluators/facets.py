"""What judges answer. Judges observe, metrics compute: one answer serves many metrics."""

from dataclasses import dataclass
from enum import StrEnum


class Facet(StrEnum):
    """A small structured question about a sample."""

    CLAIM_SUPPORT = "claim_support"
    CHUNK_RELEVANCE = "chunk_relevance"
    ANSWER_FIT = "answer_fit"
    REFERENCE_CLAIMS = "reference_claims"
    KEY_POINTS = "key_points"
    RUBRIC = "rubric"
    GRADE = "grade"


ONLINE_FACETS = frozenset({Facet.CLAIM_SUPPORT, Facet.CHUNK_RELEVANCE, Facet.ANSWER_FIT})
"""What can be asked about any trace: without a reference, a rubric or a scorer's own definition."""


class Support(StrEnum):
    """What the context says about a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_IN_CONTEXT = "not_in_context"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Where a claim and a chunk disagree. `kind`: number, unit, date, name, negation; an LLM also says statement."""

    kind: str
    claimed: str
    found: str


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """One atomic claim of the answer against the context.

    `chunk` is a position in `RagSample.context`, None where no chunk comes near. `quote` occurs verbatim in that
    chunk (whitespace aside). `strength` in 0..1 is how well the best chunk supports the claim, as the judge sees it.
    """

    claim: str
    support: Support
    chunk: int | None = None
    quote: str | None = None
    strength: float = 0.0
    conflict: Conflict | None = None


@dataclass(frozen=True, slots=True)
class ClaimSupport:
    """All claims of the answer in order; empty where the answer claims nothing."""

    claims: tuple[ClaimVerdict, ...]


@dataclass(frozen=True, slots=True)
class ChunkRelevance:
    """Relevance to the question in 0..1, one per position of `RagSample.context`."""

    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class AnswerFit:
    """How well the answer addresses the question (0..1), and whether it declines to answer."""

    relevancy: float
    abstained: bool


@dataclass(frozen=True, slots=True)
class ReferenceClaim:
    """One claim of the reference answer: whether the answer states it too, and which chunk states it, if any does.

    `chunk` and `quote` as in ClaimVerdict.
    """

    claim: str
    stated: bool
    chunk: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """One claim of the answer: whether the reference bears it out, and which chunk entails it, if any does."""

    claim: str
    correct: bool
    chunk: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class ReferenceClaims:
    """The reference answer against answer and context.

    `entities` are the names in the reference, as it spells them. `similarity` in 0..1 is how alike answer and
    reference are in meaning.
    """

    reference: tuple[ReferenceClaim, ...]
    answer: tuple[CheckedClaim, ...]
    entities: tuple[str, ...] = ()
    similarity: float = 0.0


@dataclass(frozen=True, slots=True)
class KeyPoints:
    """Whether the answer covers each key point of the reference, in their order."""

    covered: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Criterion:
    """One yes/no criterion of the operator's rubric, and what shows it.

    `quote` occurs verbatim in the chunk at position `chunk`, or in the answer where `chunk` is None; None where the
    criterion is about something that is absent.
    """

    criterion: str
    met: bool
    chunk: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Rubric:
    """All criteria, in the operator's order."""

    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class Grade:
    """A score in 0..1 by a scorer's own definition: a program, a service, an evaluation library."""

    score: float
    passed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FacetAnswers:
    """A judge's answers, each under the value of its Facet; None for a facet that was not asked."""

    claim_support: ClaimSupport | None = None
    chunk_relevance: ChunkRelevance | None = None
    answer_fit: AnswerFit | None = None
    reference_claims: ReferenceClaims | None = None
    key_points: KeyPoints | None = None
    rubric: Rubric | None = None
    grade: Grade | None = None

    def merged(self, other: "FacetAnswers") -> "FacetAnswers":
        """These answers, and those of `other` where these have none."""
        return FacetAnswers(
            self.claim_support or other.claim_support,
            self.chunk_relevance or other.chunk_relevance,
            self.answer_fit or other.answer_fit,
            self.reference_claims or other.reference_claims,
            self.key_points or other.key_points,
            self.rubric or other.rubric,
            self.grade or other.grade,
        )
