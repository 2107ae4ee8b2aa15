"""The rules that work without a file.

They must not cry wolf. The embedded judge flags up to a fifth of good, freely worded answers as unsupported, so a
single trace counts only where a chunk contradicts a claim, and "not supported" counts only over a window: its whole
95% interval must be above twice that fifth, or 20 points above what is usual for the service.
"""

from alerts.rules.base import RuleSettings, Severity
from alerts.rules.coverage import CoverageRule
from alerts.rules.empty_retrieval import EmptyRetrievalRule
from alerts.rules.injection import InjectionRule
from alerts.rules.judge_unavailable import JudgeUnavailableRule
from alerts.rules.no_data import NoDataRule
from alerts.rules.trace import TraceRule
from alerts.rules.window import Baseline, WindowRule

DEFAULT_RULES: tuple[RuleSettings, ...] = (
    TraceRule(name="contradicted_claim", contradicted=True, severity=Severity.TICKET),
    WindowRule(
        name="high_hallucination",
        metric="hallucination",
        threshold=0.1,
        severity=Severity.PAGE,
        for_=60.0,
        clear_for=300.0,
    ),
    WindowRule(
        name="low_faithfulness",
        metric="faithfulness",
        threshold=0.4,
        baseline=Baseline(),
        severity=Severity.PAGE,
        for_=60.0,
        clear_for=300.0,
    ),
    EmptyRetrievalRule(name="empty_retrieval", severity=Severity.TICKET, for_=60.0, clear_for=300.0),
    InjectionRule(name="suspected_injection", severity=Severity.TICKET),
    CoverageRule(name="low_coverage", severity=Severity.TICKET, for_=300.0, clear_for=300.0),
    JudgeUnavailableRule(name="judge_unavailable", severity=Severity.TICKET),
    NoDataRule(name="no_data", severity=Severity.INFO),
)
