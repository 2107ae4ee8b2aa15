"""What an assessment tells the rules. Pure."""

from collections.abc import Container

from alerts.coverage import is_eligible, label_of
from alerts.findings import is_contradicted
from alerts.rules.base import CONTRADICTED, RETRIEVED, SUSPICION, Observation, coverage_key
from alerts.suspicions import value_of
from evaluators.evaluation import Assessment, Evaluation, Scored
from evaluators.sample import RagSample, Readiness

CLAIM_METRICS = ("hallucination", "faithfulness")
"""What is computed from the support of claims, in order of preference."""

BREAKER_VALUES = {"closed": 0.0, "half_open": 0.5, "open": 1.0}


def concerns(metric: str, watched: Container[str]) -> bool:
    """Whether an evaluation of this metric can tell any of the `watched` keys anything."""
    return metric in watched or coverage_key(metric) in watched or (metric in CLAIM_METRICS and CONTRADICTED in watched)


def retrieval_of(sample: RagSample) -> Evaluation | None:
    """Whether the retrieval returned anything, as no judge needs to say; None where there was none, or none to watch.

    Its id is the same for all judges of a trace, so that each trace counts once.
    """
    if sample.excluded or sample.readiness is Readiness.NO_RETRIEVAL:
        return None
    if sample.incomplete and sample.readiness is Readiness.NO_DOCUMENTS:
        return None
    return _of_no_judge(sample, RETRIEVED, 0.0 if sample.readiness is Readiness.NO_DOCUMENTS else 1.0)


def suspicion_of(sample: RagSample) -> Evaluation | None:
    """Where the trace holds a suspected injection, under the same conditions, and once for all judges, too."""
    if sample.excluded or sample.readiness is Readiness.NO_RETRIEVAL:
        return None
    return _of_no_judge(sample, SUSPICION, value_of(sample.suspicions))


def _of_no_judge(sample: RagSample, key: str, value: float) -> Evaluation:
    return Evaluation(f"{sample.trace_id}/{sample.revision}", key, "1", "", Scored(value))


def observations(
    assessment: Assessment, evaluation: Evaluation, watched: Container[str], *, judge_held: bool
) -> list[Observation]:
    """The score, whether a claim is contradicted, and whether an eligible trace got a score: what is `watched` of it.

    While the judge is unavailable a missing score says nothing about coverage: the cause has an alert of its own.
    """
    outcome, metric, found = evaluation.outcome, evaluation.metric, []
    scored = isinstance(outcome, Scored)
    if isinstance(outcome, Scored) and metric in watched:
        found.append(Observation(metric, outcome.value, "" if metric == SUSPICION else assessment.diagnosis.value))
    if scored and metric in CLAIM_METRICS and CONTRADICTED in watched and metric == _about_claims(assessment):
        found.append(Observation(CONTRADICTED, float(is_contradicted(assessment)), assessment.diagnosis.value))
    key = coverage_key(metric)
    if key in watched and not judge_held and is_eligible(outcome):
        found.append(Observation(key, float(scored), label_of(outcome)[1]))
    return found


def _about_claims(assessment: Assessment) -> str:
    """The one metric with which contradictions are counted, so that each trace counts once."""
    names = {evaluation.metric for evaluation in assessment.evaluations}
    return next(name for name in CLAIM_METRICS if name in names)
