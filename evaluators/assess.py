"""From a judge's answers to an assessment: eligibility, metrics, identity, diagnosis. Pure."""

import hashlib
from collections.abc import Iterable

from evaluators.diagnosis import diagnose
from evaluators.evaluation import Assessment, Evaluation, Outcome, Skipped, SkipReason
from evaluators.facets import Facet, FacetAnswers
from evaluators.metrics import Metric
from evaluators.sample import RagSample, Readiness

_NOT_READY = {
    Readiness.NO_RETRIEVAL: SkipReason.NO_RETRIEVAL,
    Readiness.NO_DOCUMENTS: SkipReason.NO_DOCUMENTS,
    Readiness.NO_TEXT: SkipReason.NO_TEXT,
    Readiness.NO_ANSWER: SkipReason.NO_ANSWER,
    Readiness.NO_QUESTION: SkipReason.NO_QUESTION,
}


def ineligible(sample: RagSample, metric: Metric) -> Skipped | None:
    """Why `metric` cannot be computed on `sample`, or None where it can.

    A context of which the transport lost a part cannot show that a claim is unsupported, so what needs it is skipped.
    """
    if reason := _NOT_READY.get(sample.readiness):
        return Skipped(reason)
    if not sample.context:
        return Skipped(SkipReason.NO_CONTEXT)
    if metric.needs is not None and not (sample.reference and getattr(sample.reference, metric.needs)):
        return Skipped(SkipReason.NO_REFERENCE)
    if metric.needs_whole_context and (sample.incomplete or any(chunk.truncated for chunk in sample.chunks)):
        return Skipped(SkipReason.TRUNCATED)
    return None


def facets_to_ask(sample: RagSample, metrics: Iterable[Metric]) -> frozenset[Facet]:
    """The facets that the eligible metrics need; empty where nothing is to be asked."""
    return frozenset(facet for metric in metrics if ineligible(sample, metric) is None for facet in metric.facets)


def assess(
    sample: RagSample,
    metrics: Iterable[Metric],
    result: FacetAnswers | Outcome,
    *,
    judge: str,
    identity: str,
    age_s: float = 0.0,
    cached: bool = False,
) -> Assessment:
    """Compute `metrics` from the judge's answers; a Skipped or Failed `result` goes to every eligible metric as is."""
    answers = result if isinstance(result, FacetAnswers) else FacetAnswers()
    content, reference = _content_hash(sample), _reference_hash(sample)

    def outcome(metric: Metric) -> Outcome:
        if skipped := ineligible(sample, metric):
            return skipped
        return metric.compute(sample, result) if isinstance(result, FacetAnswers) else result

    return Assessment(
        sample=sample,
        judge=judge,
        identity=identity,
        evaluations=tuple(
            Evaluation(
                _evaluation_id(content + reference if metric.needs else content, metric, identity),
                metric.name,
                metric.version,
                judge,
                outcome(metric),
            )
            for metric in metrics
        ),
        answers=answers,
        diagnosis=diagnose(sample, answers),
        age_s=age_s,
        cached=cached,
    )


def _content_hash(sample: RagSample) -> str:
    """Hash of trace id, question, answer and ordered context, each length-prefixed so that no two samples collide."""
    return _digest((sample.trace_id, sample.question, sample.answer, *(chunk.text for chunk in sample.context)))


def _reference_hash(sample: RagSample) -> str:
    """Hash of what reference metrics compare with; "" for a live trace."""
    if (given := sample.reference) is None:
        return ""
    return _digest((given.answer, str(len(given.key_points)), *given.key_points, *given.expected_context))


def _digest(parts: Iterable[str | None]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = (part or "").encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _evaluation_id(content: str, metric: Metric, identity: str) -> str:
    """32 hex digits; equal for a repeat of the same metric version by the same judge on the same content."""
    return hashlib.sha256(f"{content}\0{metric.name}@{metric.version}\0{identity}".encode()).hexdigest()[:32]
