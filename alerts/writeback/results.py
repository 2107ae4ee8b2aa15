"""Verdicts as evaluation results of the GenAI semantic conventions. Pure.

https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-events.md
"""

import hashlib
from dataclasses import dataclass

from alerts.explain import Content, sentence_of, show
from alerts.findings import Finding
from alerts.observing import CLAIM_METRICS
from evaluators.evaluation import Assessment, Evaluation, Scored, Skipped
from evaluators.metrics import METRICS

EVENT = "gen_ai.evaluation.result"

Attributes = dict[str, str | float]


@dataclass(frozen=True, slots=True)
class Results:
    """What one judge says of one trace. Ids are the judged trace's own; `id` is the same whenever it is told again.

    `span_id` is that of the span that was evaluated, 0 where it is not known.
    """

    id: bytes
    trace_id: int
    span_id: int
    service: str
    judge: str
    events: tuple[Attributes, ...]


def results_of(assessment: Assessment, content: Content) -> Results | None:
    """All that was scored, or failed to be; None where nothing was tried."""
    tried = [one for one in assessment.evaluations if not isinstance(one.outcome, Skipped)]
    if not tried:
        return None
    sample = assessment.sample
    span_id = sample.span_id or next((chunk.span_id for chunk in sample.chunks if chunk.span_id), None)
    return Results(
        id=hashlib.sha256("|".join(one.id for one in tried).encode()).digest(),
        trace_id=int(sample.trace_id, 16),
        span_id=int(span_id, 16) if span_id else 0,
        service=sample.service,
        judge=assessment.judge,
        events=_events(assessment, tried, content),
    )


def _events(assessment: Assessment, tried: list[Evaluation], content: Content) -> tuple[Attributes, ...]:
    about_claims = {one.metric for one in tried if one.metric in CLAIM_METRICS and _is_bad(one)}
    explanation = sentence_of(show(Finding.of(assessment, 0.0), content)) if about_claims else ""
    return tuple(_attributes(assessment, one, explanation if one.metric in about_claims else "") for one in tried)


def _is_bad(evaluation: Evaluation) -> bool:
    metric = METRICS.get(evaluation.metric)
    return isinstance(evaluation.outcome, Scored) and metric is not None and metric.is_bad(evaluation.outcome.value)


def _attributes(assessment: Assessment, evaluation: Evaluation, explanation: str) -> Attributes:
    # Backends may drop records of one uid that they have, so that a repeat costs nothing:
    # https://opentelemetry.io/docs/specs/semconv/registry/attributes/log/#log-record-uid
    known: Attributes = {
        "gen_ai.evaluation.name": evaluation.metric,
        "log.record.uid": evaluation.id,
        "groundwatch.service": assessment.sample.service,
        "groundwatch.judge": evaluation.judge,
        "groundwatch.judge.identity": assessment.identity,
        "groundwatch.metric.version": evaluation.version,
        "groundwatch.diagnosis": assessment.diagnosis.value,
    }
    outcome = evaluation.outcome
    if not isinstance(outcome, Scored):
        return known | {"error.type": outcome.reason.value}
    known |= {
        "gen_ai.evaluation.score.value": outcome.value,
        "gen_ai.evaluation.score.label": "fail" if _is_bad(evaluation) else "pass",
    }
    return known | ({"gen_ai.evaluation.explanation": explanation} if explanation else {})
