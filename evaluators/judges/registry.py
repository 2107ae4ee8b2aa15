"""The judges there are: one line each, and their settings in the union."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evaluators.judges.base import Judge
from evaluators.judges.lexical import LexicalJudge, LexicalSettings
from evaluators.judges.openai import OpenAIJudge, OpenAISettings
from evaluators.lane_settings import JudgeLane, LaneSettings
from evaluators.pool import PooledJudge

JudgeSettings = LexicalSettings | OpenAISettings


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
}


def build_lane(settings: JudgeSettings, lane: LaneSettings) -> JudgeLane:
    """The judge that `settings` describe, ready to be dispatched to. Raises PermanentError where its key is missing."""
    kind = JUDGES[settings.type]
    built = kind.build(settings)
    judge = PooledJudge(built) if kind.cpu_bound else built
    return JudgeLane(judge, lane, plan=getattr(settings, "plan", "combined"), cached=not kind.cpu_bound)
