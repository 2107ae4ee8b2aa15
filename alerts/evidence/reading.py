"""What an assessment comes to, in words and in one colour. Pure."""

from alerts.explain import sentence_of
from alerts.findings import Finding, failing_claim, is_contradicted
from alerts.store import TraceRecord
from evaluators.evaluation import Assessment, Evaluation, Failed, Scored
from evaluators.metrics import METRICS


def leading(record: TraceRecord, judge: str = "") -> Assessment | None:
    """The verdict to show first: the one asked for, else one with a contradiction, else the latest with a score."""
    assessments = list(record.assessments.values())
    if judge in record.assessments:
        return record.assessments[judge]
    ordered = [*filter(is_contradicted, assessments), *filter(_scored, reversed(assessments)), *reversed(assessments)]
    return ordered[0] if ordered else None


def failures(record: TraceRecord) -> dict[str, str]:
    """By judge that gave no score: why it failed. A judge with nothing to judge did not fail."""
    found = {name: _failure(one) for name, one in record.assessments.items() if not _scored(one)}
    return {name: reason for name, reason in found.items() if reason}


def headline(assessment: Assessment) -> str:
    """What is wrong, in one sentence; or that nothing is."""
    finding = Finding.of(assessment, 0.0)
    if said := sentence_of(finding):
        return said
    scored = _scored(assessment)
    if not scored:
        reasons = sorted({outcome_text(evaluation) for evaluation in assessment.evaluations})
        return f"not scored: {', '.join(reasons) or 'nothing was asked'}"
    low = [evaluation.metric for evaluation in scored if is_bad(evaluation)]
    return f"low {', '.join(low)}".replace("_", " ") if low else "every claim is supported by a chunk"


def tone(assessment: Assessment) -> str:
    """bad, warn, good, or nothing where no metric was scored."""
    if is_contradicted(assessment):
        return "bad"
    scored = _scored(assessment)
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


def _scored(assessment: Assessment) -> list[Evaluation]:
    return [evaluation for evaluation in assessment.evaluations if isinstance(evaluation.outcome, Scored)]


def _failure(assessment: Assessment) -> str:
    reasons = {outcome_text(one) for one in assessment.evaluations if isinstance(one.outcome, Failed)}
    return ", ".join(sorted(reasons))
