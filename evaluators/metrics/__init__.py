"""Metrics: pure functions over facets, one file each. A new metric is a new file and a line in METRICS."""

from collections.abc import Mapping
from types import MappingProxyType

from evaluators.metrics.answer_relevancy import ANSWER_RELEVANCY
from evaluators.metrics.base import Metric
from evaluators.metrics.context_precision import CONTEXT_PRECISION
from evaluators.metrics.context_relevance import CONTEXT_RELEVANCE
from evaluators.metrics.faithfulness import FAITHFULNESS
from evaluators.metrics.hallucination import HALLUCINATION

METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            FAITHFULNESS,
            HALLUCINATION,
            ANSWER_RELEVANCY,
            CONTEXT_RELEVANCE,
            CONTEXT_PRECISION,
        )
    }
)

__all__ = ["METRICS", "Metric"]
