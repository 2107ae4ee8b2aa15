"""What an assessment comes to, in words and in one colour. Pure."""

from alerts.explain import sentence_of
from alerts.findings import Finding, failing_claim, is_contradicted
from alerts.store import TraceRecord
from evaluators.evaluation import Assessment, Evaluation, Scored
from evaluators.metrics import METRICS


def leading(record: TraceRecord, judge: str = "") -> Assessment | None:
    """The verdict to show first: the one asked for, else one with a contradiction, else the latest."""
    assessments = list(record.assessments.values())
    if judge in record.assessments:
        return record.assessments[judge]
    return next((one for one in assessments if is_contradicted(one)), assessments[-1] if assessments else None)


def headline(assessment: Assessment) -> str:
    """What is wrong, in one sentence; or that nothing is."""
    finding = Finding.of(assessment, 0.0)
    if said := sentence_of(finding):
        return said
    scored = [evaluation for evaluation in assessment.evaluations if isinstance(evaluation.outcome, Scored)]
    if not scored:
        reasons = sorted({outcome_text(evaluation) for evaluation in assessment.evaluations})
        return f"not scored: {', '.join(reasons) or 'nothing was asked'}"
    low = [evaluation.metric for evaluation in scored if is_bad(evaluation)]
    return f"low {', '.join(low)}".replace("_", " ") if low else "every claim is supported by a chunk"


def tone(assessment: Assessment) -> str:
    """bad, warn, good, or nothing where no metric was scored."""
    if is_contradicted(assessment):
        return "bad"
    scored = [evaluation for evaluation in assessment.evaluations if isinstance(evaluation.outcome, Scored)]
    if any(is_bad(evaluation) for evaluation in scored) or failing_claim(assessment):
        return "warn"
    return "good" if scored else ""


def outcome_text(evaluation: Evaluation) -> str:
    """The value, or the reason why there is none."""
    outcome = evaluation.outcome
    return f"{outcome.value:.2f}" if isinstance(outcome, Scored) else outcome.reason.replace("_", " ")


def is_bad(evaluation: Evaluation) -> bool:
    """Whether the value is on the wrong side of the metric's threshold."""
    metric = METRICS.get(evaluation.metric)
    return isinstance(evaluation.outcome, Scored) and metric is not None and metric.is_bad(evaluation.outcome.value)
