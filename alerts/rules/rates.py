"""What a rate of failures comes to, against a limit. Pure."""

from alerts.rules.base import Condition
from evaluators.statistics import Estimate


def judge_rate(now: Estimate, limit: float, min_n: int) -> Condition:
    """High is bad: a breach needs the whole interval above the limit and `min_n` values; at or below it is clear."""
    if now.high <= limit:
        return Condition.CLEAR
    if now.n < min_n:
        return Condition.TOO_FEW
    if now.low > limit:
        return Condition.BREACH
    return Condition.UNSURE if now.value > limit else Condition.CLEAR
