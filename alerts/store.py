"""The latest verdicts with their evidence, and why other traces have none. In memory and bounded."""

import sys
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter

from evaluators.clock import Clock, SystemClock
from evaluators.evaluation import Assessment
from evaluators.facets import FacetAnswers
from evaluators.sample import RagSample

MAX_TRACES = 2000
MAX_BYTES = 32 << 20
_MAX_DECISIONS = 16
_CITED_SHARE = 0.25
_OVERHEAD = 1500


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about a trace at a time (epoch seconds)."""

    decision: str
    reason: str
    at: float


@dataclass(slots=True)
class TraceRecord:
    """What is known of one trace: the latest assessment of each judge. `at` is the last change, epoch seconds."""

    trace_id: str
    service: str
    at: float
    decisions: list[Decision] = field(default_factory=list)
    assessments: dict[str, Assessment] = field(default_factory=dict)
    size: int = 0


class VerdictStore:
    """At most `max_traces` judged traces in `max_bytes`, and as many decisions about traces that were not judged.

    Traces that an alert cites have a quarter of both for themselves: traffic must not push out the evidence before
    its reader comes. `evicted` counts judged traces that were pushed out.
    """

    def __init__(self, clock: Clock | None = None, *, max_traces: int = MAX_TRACES, max_bytes: int = MAX_BYTES) -> None:
        self._clock = clock or SystemClock()
        cited = round(max_traces * _CITED_SHARE), round(max_bytes * _CITED_SHARE)
        self._cited = _Pool(*cited)
        self._judged = _Pool(max_traces - cited[0], max_bytes - cited[1])
        self._unjudged = _Pool(max_traces, max_bytes)

    @property
    def evicted(self) -> int:
        """Judged traces that were pushed out."""
        return self._cited.evicted + self._judged.evicted

    def decision(self, trace_id: str, service: str, decision: str, reason: str) -> None:
        """Note what was decided about a trace, and why."""
        pool = self._pool_of(trace_id)
        record = self._take(trace_id, service)
        record.decisions.append(Decision(str(decision), reason[:500], record.at))
        del record.decisions[:-_MAX_DECISIONS]
        (pool or self._unjudged).put(record)

    def record(self, assessment: Assessment) -> None:
        """Keep a verdict with its evidence; a later one of the same judge takes its place."""
        sample = assessment.sample
        pool = self._pool_of(sample.trace_id)
        record = self._take(sample.trace_id, sample.service)
        record.assessments[assessment.judge] = assessment
        record.size = _size(record.assessments.values())
        (self._cited if pool is self._cited else self._judged).put(record)

    def cite(self, assessment: Assessment) -> None:
        """An alert cites this trace: keep its evidence longer."""
        record = self._take(assessment.sample.trace_id, assessment.sample.service)
        record.assessments[assessment.judge] = assessment
        record.size = _size(record.assessments.values())
        self._cited.put(record)

    def get(self, trace_id: str) -> TraceRecord | None:
        """What is known of a trace, None where nothing is or is no longer."""
        pool = self._pool_of(trace_id)
        return pool.records[trace_id] if pool else None

    def recent(self, n: int, service: str | None = None) -> list[TraceRecord]:
        """The last `n` traces, the latest first; with `service` only its own."""
        pools = (self._cited, self._judged, self._unjudged)
        records = [record for pool in pools for record in pool.records.values() if service in (None, record.service)]
        return list(islice(sorted(records, key=attrgetter("at"), reverse=True), n))

    def _pool_of(self, trace_id: str) -> "_Pool | None":
        pools = (self._cited, self._judged, self._unjudged)
        return next((pool for pool in pools if trace_id in pool.records), None)

    def _take(self, trace_id: str, service: str) -> TraceRecord:
        pool = self._pool_of(trace_id)
        record = pool.take(trace_id) if pool else TraceRecord(trace_id, service, 0.0, size=_OVERHEAD)
        record.at = self._clock.wall()
        return record


class _Pool:
    """Records in order of their last change, bounded in number and bytes."""

    def __init__(self, max_traces: int, max_bytes: int) -> None:
        self.records: OrderedDict[str, TraceRecord] = OrderedDict()
        self.evicted = 0
        self._max_traces = max_traces
        self._max_bytes = max_bytes
        self._bytes = 0

    def put(self, record: TraceRecord) -> None:
        self.records[record.trace_id] = record
        self._bytes += record.size
        while self.records and (len(self.records) > self._max_traces or self._bytes > self._max_bytes):
            self._bytes -= self.records.popitem(last=False)[1].size
            self.evicted += 1

    def take(self, trace_id: str) -> TraceRecord:
        record = self.records.pop(trace_id)
        self._bytes -= record.size
        return record


def _size(assessments: Iterable[Assessment]) -> int:
    """Bytes held: texts, which dominate, and a flat charge for the objects around them."""
    samples = {id(assessment.sample): assessment.sample for assessment in assessments}
    return (
        _OVERHEAD
        + sum(_sample_size(sample) for sample in samples.values())
        + sum(_answers_size(assessment.answers) for assessment in assessments)
    )


def _sample_size(sample: RagSample) -> int:
    texts = [sample.question, sample.answer, *(chunk.text for chunk in sample.chunks)]
    return _OVERHEAD + sum(sys.getsizeof(text) for text in texts) + 200 * len(sample.chunks)


def _answers_size(answers: FacetAnswers) -> int:
    claims = answers.claim_support.claims if answers.claim_support else ()
    return _OVERHEAD + sum(sys.getsizeof(claim.claim) + sys.getsizeof(claim.quote) + 200 for claim in claims)
