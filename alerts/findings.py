"""A finding: one bad trace, its failing claim, and the chunk that says otherwise."""

from dataclasses import dataclass, replace

from evaluators.evaluation import Assessment, Scored
from evaluators.facets import ClaimVerdict, Support
from evaluators.sample import Place, RagSample, Suspicion

KEPT = 600
"""Characters kept of each text: more than is ever shown, so that redaction sees what the later cut would halve."""

NEWS_S = 10.0
"""Of equally bad traces one is taken in so many seconds: building a finding costs more than counting one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Plain, unredacted facts. Texts are empty where there is nothing to say.

    `chunk` is an id, or a position with the source. `value` is the trace's score of the metric that the alert names,
    None where it names none or there is no score. `excerpt` are words that give orders to a model, in `place`.
    """

    trace_id: str
    value: float | None
    diagnosis: str
    question: str = ""
    claim: str = ""
    contradicted: bool = False
    chunk: str = ""
    quote: str = ""
    claimed: str = ""
    found: str = ""
    place: Place | None = None
    excerpt: str = ""

    @classmethod
    def of(cls, assessment: Assessment, value: float | None, *, with_claim: bool = True) -> "Finding":
        """What is wrong with this trace; `with_claim` False where the metric is not about claims."""
        sample = assessment.sample
        bare = cls(sample.trace_id, value, str(assessment.diagnosis), (sample.question or "")[:KEPT])
        claim = failing_claim(assessment) if with_claim else None
        if claim is None:
            return bare
        return cls(
            trace_id=bare.trace_id,
            value=value,
            diagnosis=bare.diagnosis,
            question=bare.question,
            claim=claim.claim[:KEPT],
            contradicted=claim.support is Support.CONTRADICTED,
            chunk=chunk_name(sample, claim.chunk),
            quote=(claim.quote or "")[:KEPT],
            claimed=(claim.conflict.claimed if claim.conflict else "")[:KEPT],
            found=(claim.conflict.found if claim.conflict else "")[:KEPT],
        )

    @classmethod
    def of_suspicion(cls, assessment: Assessment, suspicion: Suspicion | None) -> "Finding":
        """Which text of this trace gives orders to a model."""
        bare = cls.of(assessment, None, with_claim=False)
        if suspicion is None:
            return bare
        chunk = chunk_name(assessment.sample, suspicion.chunk)
        return replace(bare, chunk=chunk, place=suspicion.place, excerpt=suspicion.excerpt[:KEPT])


def failing_claim(assessment: Assessment) -> ClaimVerdict | None:
    """The first contradicted claim, else the least supported one, None where all are supported or none is known."""
    support = assessment.answers.claim_support
    claims = support.claims if support else ()
    contradicted = [claim for claim in claims if claim.support is Support.CONTRADICTED]
    if contradicted:
        return contradicted[0]
    missing = [claim for claim in claims if claim.support is Support.NOT_IN_CONTEXT]
    return min(missing, key=lambda claim: claim.strength, default=None)


def is_contradicted(assessment: Assessment) -> bool:
    """Whether a chunk contradicts a claim of the answer."""
    support = assessment.answers.claim_support
    return support is not None and any(claim.support is Support.CONTRADICTED for claim in support.claims)


def score_of(assessment: Assessment, metric: str) -> float | None:
    """The score of a metric, None where there is none."""
    outcomes = (one.outcome for one in assessment.evaluations if one.metric == metric)
    return next((outcome.value for outcome in outcomes if isinstance(outcome, Scored)), None)


def chunk_name(sample: RagSample, position: int | None) -> str:
    """The id of a context chunk; where it has none its place ("#2" is the second), and its source if that is known."""
    context = sample.context
    if position is None or not 0 <= position < len(context):
        return ""
    chunk, place = context[position], f"#{position + 1}"
    return (chunk.id or (f"{place} ({chunk.source})" if chunk.source else place))[:KEPT]


class WorstTraces:
    """The few findings most worth showing, the worst first; among equals the later, whose evidence is still kept."""

    def __init__(self, limit: int = 3) -> None:
        self._limit = limit
        self._found: list[tuple[float, float, Finding]] = []

    def wants(self, at: float, badness: float) -> bool:
        """Whether a finding would be kept: worse than the last, or as bad and later by so much that it is news."""
        if len(self._found) < self._limit:
            return True
        least, seen_at, _ = self._found[-1]
        return badness > least or (badness == least and at - seen_at >= NEWS_S)

    def add(self, at: float, badness: float, finding: Finding) -> None:
        """Keep a finding, and no more than `limit`; a newer one of the same trace replaces the older."""
        self.drop(finding.trace_id)
        self._found.append((badness, at, finding))
        self._found.sort(key=lambda item: item[:2], reverse=True)
        del self._found[self._limit :]

    def drop(self, trace_id: str) -> None:
        """Forget a trace: its verdict was superseded."""
        self._found = [item for item in self._found if item[2].trace_id != trace_id]

    def expire(self, before: float, *, keep_last: bool) -> None:
        """Forget what was seen before a time; with `keep_last` only if something newer remains."""
        fresh = [item for item in self._found if item[1] >= before]
        self._found = fresh or (self._found if keep_last else [])

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The worst first."""
        return tuple(finding for _, _, finding in self._found)
