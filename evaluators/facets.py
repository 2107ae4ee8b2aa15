"""What judges answer. Judges observe, metrics compute: one answer serves many metrics."""

from dataclasses import dataclass
from enum import StrEnum


class Facet(StrEnum):
    """A small structured question about a sample."""

    CLAIM_SUPPORT = "claim_support"
    CHUNK_RELEVANCE = "chunk_relevance"
    ANSWER_FIT = "answer_fit"


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
class FacetAnswers:
    """A judge's answers; None for a facet that was not asked."""

    claim_support: ClaimSupport | None = None
    chunk_relevance: ChunkRelevance | None = None
    answer_fit: AnswerFit | None = None
