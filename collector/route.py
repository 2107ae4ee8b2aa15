"""The way of samples to one judge."""

from dataclasses import dataclass

from evaluators.metrics import Metric
from evaluators.sampler import Sampler


@dataclass(frozen=True, slots=True)
class Route:
    """A judge, what is computed from its answers, and which traces it looks at."""

    judge: str
    identity: str
    metrics: tuple[Metric, ...]
    sampler: Sampler
