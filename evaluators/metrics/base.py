"""The contract of a metric: a pure function over facets."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from evaluators.evaluation import Outcome
from evaluators.facets import Facet, FacetAnswers
from evaluators.sample import RagSample


class Needs(StrEnum):
    """A part of a Reference, under its name there."""

    ANSWER = "answer"
    EXPECTED_CONTEXT = "expected_context"
    KEY_POINTS = "key_points"


@dataclass(frozen=True, slots=True)
class Metric:
    """A named, versioned definition.

    `compute` gets a ready sample and the answers to `facets`, and returns an outcome; it neither raises nor does I/O.
    `needs_whole_context`: a score would mislead where the transport lost or cut a part of the chunks.
    `needs` is the part of a reference without which there is nothing to compare with; None for a live metric.
    `threshold` separates good from bad for people and default rules; it is no part of an evaluation's identity.
    """

    name: str
    version: str
    facets: frozenset[Facet]
    compute: Callable[[RagSample, FacetAnswers], Outcome]
    threshold: float
    higher_is_better: bool = True
    needs_whole_context: bool = True
    needs: Needs | None = None

    def is_bad(self, value: float) -> bool:
        """Whether `value` is on the wrong side of the threshold."""
        return value < self.threshold if self.higher_is_better else value > self.threshold
