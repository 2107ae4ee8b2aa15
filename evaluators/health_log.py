"""What the log says of a judge's health: that it began to fail, and that it works again."""

import logging

from evaluators.breaker import BreakerState
from evaluators.call import AttemptResult
from evaluators.clean_text import clean
from evaluators.evaluation import FailReason
from evaluators.health import JudgeHealth
from evaluators.judges.base import JudgeError, JudgeIdentity, JudgeReply

_QUIET_S = 60.0
"""Seconds after a warning without another: a judge that fails every other time is for the metrics to tell."""

_MAX_DETAIL = 200

_log = logging.getLogger(__name__)


class HealthLog:
    """Writes changes only. A wrong key is told at the first call: no pause heals it."""

    def __init__(self, judge: JudgeIdentity) -> None:
        server = judge.parameters.get("server")
        self._name = judge.name
        self._where = f" at {server}" if server else ""
        self._told = False
        self._quiet_until = float("-inf")

    def ended(self, result: AttemptResult, health: JudgeHealth, now: float) -> None:
        """A call has ended, and `health` has heard of it. `now` is monotonic seconds."""
        if isinstance(result, JudgeError):
            self._failed(result, health, now)
        elif isinstance(result, JudgeReply) and self._told:
            self._told = False
            _log.info("judge %s: works again", self._name)

    def _failed(self, error: JudgeError, health: JudgeHealth, now: float) -> None:
        is_paused = health.state is BreakerState.OPEN
        if self._told or now < self._quiet_until or not (is_paused or error.reason is FailReason.UNAUTHORIZED):
            return
        self._told, self._quiet_until = True, now + _QUIET_S
        why = " ".join(clean(error.detail[:_MAX_DETAIL]).split())
        _log.warning(
            "judge %s: %s%s%s%s",
            self._name,
            error.reason,
            self._where,
            f" ({why})" if why else "",
            f": paused, trying again in {health.pause(now):.3g} s" if is_paused else "",
        )
