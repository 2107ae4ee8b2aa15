"""Rules: one file a kind. A new kind is a new file and a part of `Rule`."""

from typing import Annotated

from pydantic import Field

from alerts.rules.base import Case, Condition, Observation, Reading, RuleSettings, Severity, Watch
from alerts.rules.coverage import CoverageRule
from alerts.rules.judge_unavailable import JudgeUnavailableRule
from alerts.rules.no_data import NoDataRule
from alerts.rules.trace import TraceRule
from alerts.rules.window import Baseline, WindowRule

Rule = Annotated[
    TraceRule | WindowRule | CoverageRule | NoDataRule | JudgeUnavailableRule,
    Field(discriminator="kind"),
]

__all__ = [
    "Baseline",
    "Case",
    "Condition",
    "CoverageRule",
    "JudgeUnavailableRule",
    "NoDataRule",
    "Observation",
    "Reading",
    "Rule",
    "RuleSettings",
    "Severity",
    "TraceRule",
    "Watch",
    "WindowRule",
]
