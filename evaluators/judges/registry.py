"""The judges there are: one line each, and their settings in the union."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evaluators.facets import Facet
from evaluators.judges.anthropic import AnthropicJudge, AnthropicSettings
from evaluators.judges.base import Judge
from evaluators.judges.deepeval import DeepEvalJudge, DeepEvalSettings
from evaluators.judges.http_grade import HttpJudge, HttpSettings
from evaluators.judges.lexical import LexicalJudge, LexicalSettings
from evaluators.judges.openai import OpenAIJudge, OpenAISettings
from evaluators.judges.ragas import RagasJudge, RagasSettings
from evaluators.judges.settings import ServerSettings
from evaluators.judges.stub import StubJudge, StubSettings
from evaluators.judges.subprocess import SubprocessJudge, SubprocessSettings
from evaluators.lane_settings import JudgeLane, LaneSettings
from evaluators.metrics import METRICS, ONLINE_METRICS
from evaluators.metrics.grade import GRADE
from evaluators.pool import PooledJudge
from evaluators.prices import PriceTable

JudgeSettings = (
    LexicalSettings
    | OpenAISettings
    | AnthropicSettings
    | SubprocessSettings
    | HttpSettings
    | RagasSettings
    | DeepEvalSettings
    | StubSettings
)


@dataclass(frozen=True, slots=True)
class JudgeType:
    """What `type` in the configuration stands for.

    `build` makes a judge of the settings. A `cpu_bound` one works in processes of its own; its verdicts cost less than
    a look-up and are not cached.
    """

    settings: type[Any]
    build: Callable[[Any], Judge]
    cpu_bound: bool = False


JUDGES = {
    "lexical": JudgeType(LexicalSettings, LexicalJudge, cpu_bound=True),
    "openai": JudgeType(OpenAISettings, OpenAIJudge),
    "anthropic": JudgeType(AnthropicSettings, AnthropicJudge),
    "subprocess": JudgeType(SubprocessSettings, SubprocessJudge),
    "http": JudgeType(HttpSettings, HttpJudge),
    "ragas": JudgeType(RagasSettings, RagasJudge),
    "deepeval": JudgeType(DeepEvalSettings, DeepEvalJudge),
    "stub": JudgeType(StubSettings, StubJudge),
}


def default_metrics(settings: JudgeSettings) -> tuple[str, ...]:
    """What is computed where the configuration does not say: the live metrics, or the grade of a scorer."""
    return (GRADE.name,) if settings.facets == {Facet.GRADE} else tuple(ONLINE_METRICS)


def unanswered(settings: JudgeSettings, metrics: tuple[str, ...]) -> list[str]:
    """Those of `metrics` that need what a judge with `settings` does not answer."""
    return [name for name in metrics if not METRICS[name].facets <= settings.facets]


def build_lane(settings: JudgeSettings, lane: LaneSettings, prices: PriceTable | None = None) -> JudgeLane:
    """The judge that `settings` describe, ready to be dispatched to. Raises PermanentError where its key is missing."""
    kind = JUDGES[settings.type]
    built = kind.build(settings)
    judge = PooledJudge(built) if kind.cpu_bound else built
    price = prices.of(settings.model) if prices is not None and isinstance(settings, ServerSettings) else None
    return JudgeLane(judge, lane, plan=getattr(settings, "plan", "combined"), cached=not kind.cpu_bound, price=price)
