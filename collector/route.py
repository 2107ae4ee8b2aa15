"""The way of samples to one judge."""

from dataclasses import dataclass

from collector.config import JudgeConfig
from evaluators.lane_settings import JudgeLane
from evaluators.metrics import METRICS, Metric
from evaluators.sampler import Sampler


@dataclass(frozen=True, slots=True)
class Route:
    """A judge, what is computed from its answers, and which traces it looks at."""

    judge: str
    identity: str
    metrics: tuple[Metric, ...]
    sampler: Sampler


def route_to(config: JudgeConfig, lane: JudgeLane) -> Route:
    """As configured."""
    metrics = tuple(METRICS[name] for name in config.metrics)
    sampler = Sampler(config.sampling, judge_excluded=config.judge_excluded)
    return Route(config.judge.name, str(lane.judge.identity), metrics, sampler)
