"""What a judge's calls cost, counted whatever became of them: a refusal is paid for like an answer."""

from evaluators.budget import Budget
from evaluators.call import AttemptResult
from evaluators.dispatch_metrics import DispatchMetrics
from evaluators.evaluation import FailReason
from evaluators.judges.base import JudgeError, JudgeReply, Usage
from evaluators.prices import Price, Unpriced

_UNBILLED = frozenset({FailReason.UNAVAILABLE, FailReason.RATE_LIMITED, FailReason.UNAUTHORIZED, FailReason.ERROR})
"""Failures that cost nothing where no usage came with them: no model was asked."""


class Charging:
    """Counts tokens and dollars of one judge, and charges its budget."""

    def __init__(self, judge: str, price: Price | None, budget: Budget, metrics: DispatchMetrics) -> None:
        self._judge = judge
        self._price = price
        self._budget = budget
        self._metrics = metrics

    def charge(self, result: AttemptResult) -> None:
        """Count one attempt. A time-out may have cost more than was told; how much, nobody knows."""
        usage = result.usage
        if usage.total:
            self._tell(usage)
        if self._price is not None and _may_have_cost_more(result):
            self._metrics.judge_call_unpriced(self._judge, Unpriced.NO_TOKENS)

    def _tell(self, usage: Usage) -> None:
        for direction, tokens in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            if tokens:
                self._metrics.judge_tokens(self._judge, direction, tokens)
        usd = 0.0
        if self._price is None:
            self._metrics.judge_call_unpriced(self._judge, Unpriced.NO_PRICE)
        else:
            usd = self._price.of(usage.input_tokens, usage.output_tokens)
            self._metrics.judge_cost(self._judge, usd)
        self._budget.spend(usage.total, usd)


def _may_have_cost_more(result: AttemptResult) -> bool:
    if isinstance(result, JudgeError):
        silent = not result.usage.total and result.reason not in _UNBILLED
        return silent or result.reason is FailReason.TIMEOUT
    return isinstance(result, JudgeReply) and not result.usage.total
