"""Metrics: pure functions over facets, one file each. A new metric is a new file and a line below."""

from collections.abc import Mapping
from types import MappingProxyType

from evaluators.metrics.answer_correctness import ANSWER_CORRECTNESS
from evaluators.metrics.answer_relevancy import ANSWER_RELEVANCY
from evaluators.metrics.base import Metric
from evaluators.metrics.completeness import COMPLETENESS
from evaluators.metrics.context_entities_recall import CONTEXT_ENTITIES_RECALL
from evaluators.metrics.context_match import CONTEXT_MATCH
from evaluators.metrics.context_precision import CONTEXT_PRECISION
from evaluators.metrics.context_recall import CONTEXT_RECALL
from evaluators.metrics.context_relevance import CONTEXT_RELEVANCE
from evaluators.metrics.faithfulness import FAITHFULNESS
from evaluators.metrics.grade import GRADE
from evaluators.metrics.hallucination import HALLUCINATION
from evaluators.metrics.noise_sensitivity import (
    NOISE_SENSITIVITY,
    NOISE_SENSITIVITY_IRRELEVANT,
    NOISE_SENSITIVITY_RELEVANT,
)
from evaluators.metrics.rubric import RUBRIC


def _by_name(*metrics: Metric) -> Mapping[str, Metric]:
    return MappingProxyType({metric.name: metric for metric in metrics})


ONLINE_METRICS = _by_name(FAITHFULNESS, HALLUCINATION, ANSWER_RELEVANCY, CONTEXT_RELEVANCE, CONTEXT_PRECISION)
"""Those that need nothing but a trace: the default."""

METRICS = _by_name(
    *ONLINE_METRICS.values(),
    CONTEXT_RECALL,
    CONTEXT_ENTITIES_RECALL,
    ANSWER_CORRECTNESS,
    COMPLETENESS,
    NOISE_SENSITIVITY,
    NOISE_SENSITIVITY_RELEVANT,
    NOISE_SENSITIVITY_IRRELEVANT,
    CONTEXT_MATCH,
    RUBRIC,
    GRADE,
)

__all__ = ["METRICS", "ONLINE_METRICS", "Metric"]
