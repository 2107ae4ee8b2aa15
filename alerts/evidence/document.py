"""Evidence for programs: the same content as the pages."""

from alerts.evidence.reading import failures, headline, leading
from alerts.findings import chunk_name
from alerts.signals import iso
from alerts.store import TraceRecord
from evaluators.evaluation import Assessment, Evaluation, Scored, Skipped
from evaluators.facets import ClaimVerdict
from evaluators.sample import RagSample


def trace_document(record: TraceRecord) -> dict[str, object]:
    """All that is known of a trace."""
    lead = leading(record)
    return {
        **summary_document(record),
        "decisions": [{"at": iso(one.at), "decision": one.decision, "reason": one.reason} for one in record.decisions],
        "sample": _sample(lead.sample) if lead else None,
        "assessments": [_assessment(one) for one in record.assessments.values()],
    }


def summary_document(record: TraceRecord) -> dict[str, object]:
    """One line about a trace."""
    lead, last = leading(record), record.decisions[-1] if record.decisions else None
    return {
        "trace_id": record.trace_id,
        "service": record.service,
        "at": iso(record.at),
        "judged": lead is not None,
        "headline": headline(lead) if lead else (last.reason if last else ""),
        "decision": last.decision if last else "",
        "reason": last.reason if last else "",
        "failures": failures(record),
    }


def _sample(sample: RagSample) -> dict[str, object]:
    return {
        "question": sample.question,
        "answer": sample.answer,
        "chunks": [
            {"id": chunk.id, "text": chunk.text, "score": chunk.score, "source": chunk.source}
            for chunk in sample.chunks
        ],
        "suspicions": [
            {"place": one.place, "chunk": chunk_name(sample, one.chunk) or None, "excerpt": one.excerpt}
            for one in sample.suspicions
        ],
        "session": sample.session,
        "incomplete": sample.incomplete,
        "attributes": dict(sample.attributes),
    }


def _assessment(assessment: Assessment) -> dict[str, object]:
    support, relevance = assessment.answers.claim_support, assessment.answers.chunk_relevance
    return {
        "judge": assessment.judge,
        "identity": assessment.identity,
        "diagnosis": assessment.diagnosis.value,
        "age_s": assessment.age_s,
        "cached": assessment.cached,
        "evaluations": [_evaluation(one) for one in assessment.evaluations],
        "claims": [_claim(assessment.sample, claim) for claim in support.claims] if support else None,
        "chunk_relevance": list(relevance.scores) if relevance else None,
    }


def _evaluation(evaluation: Evaluation) -> dict[str, object]:
    outcome = evaluation.outcome
    known = {"id": evaluation.id, "metric": evaluation.metric, "version": evaluation.version}
    if isinstance(outcome, Scored):
        return {**known, "outcome": "scored", "value": outcome.value}
    return {**known, "outcome": "skipped" if isinstance(outcome, Skipped) else "failed", "reason": outcome.reason.value}


def _claim(sample: RagSample, claim: ClaimVerdict) -> dict[str, object]:
    conflict = claim.conflict
    return {
        "claim": claim.claim,
        "support": claim.support.value,
        "chunk": chunk_name(sample, claim.chunk) or None,
        "quote": claim.quote,
        "strength": claim.strength,
        "conflict": {"kind": conflict.kind, "claimed": conflict.claimed, "found": conflict.found} if conflict else None,
    }
