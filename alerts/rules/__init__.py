"""Rules: one file a kind. A new kind is a new file and a part of `Rule`."""

from typing import Annotated

from pydantic import Field

from alerts.rules.base import Case, Condition, Observation, Reading, RuleSettings, Severity, Watch
from alerts.rules.burn_rate import BurnRateRule
from alerts.rules.coverage import CoverageRule
from alerts.rules.empty_retrieval import EmptyRetrievalRule
from alerts.rules.injection import InjectionRule
from alerts.rules.judge_unavailable import JudgeUnavailableRule
from alerts.rules.no_data import NoDataRule
from alerts.rules.slo import Burn, SloRule
from alerts.rules.trace import TraceRule
from alerts.rules.window import Baseline, WindowRule

Rule = Annotated[
    TraceRule
    | WindowRule
    | SloRule
    | BurnRateRule
    | EmptyRetrievalRule
    | InjectionRule
    | CoverageRule
    | NoDataRule
    | JudgeUnavailableRule,
    Field(discriminator="kind"),
]

KINDS = (
    "trace",
    "window",
    "slo",
    "burn_rate",
    "empty_retrieval",
    "injection",
    "coverage",
    "no_data",
    "judge_unavailable",
)

__all__ = [
    "KINDS",
    "Baseline",
    "Burn",
    "BurnRateRule",
    "Case",
    "Condition",
    "CoverageRule",
    "EmptyRetrievalRule",
    "InjectionRule",
    "JudgeUnavailableRule",
    "NoDataRule",
    "Observation",
    "Reading",
    "Rule",
    "RuleSettings",
    "Severity",
    "SloRule",
    "TraceRule",
    "Watch",
    "WindowRule",
]
