import logging

import pytest

from evaluators.evaluation import FailReason, Skipped, SkipReason
from evaluators.facets import FacetAnswers
from evaluators.health import JudgeHealth
from evaluators.health_log import HealthLog
from evaluators.judges.base import JudgeError, JudgeIdentity, JudgeReply
from evaluators.lane_settings import LaneSettings
from evaluators.retry import Backoff

IDENTITY = JudgeIdentity("gpt", "openai", "m", "1", {"server": "127.0.0.1:8000", "seed": "7"})
REPLY = JudgeReply(FacetAnswers())
DENIED = JudgeError(FailReason.UNAUTHORIZED, "HTTP 401: is the key right?")
DOWN = JudgeError(FailReason.UNAVAILABLE, "HTTP 503", retryable=True)
MALFORMED = JudgeError(FailReason.MALFORMED, "no JSON object")


class Log:
    """The log of a judge whose breaker opens for 5 s."""

    def __init__(self, caplog, identity=IDENTITY, failures=3):
        caplog.set_level(logging.INFO, logger="evaluators")
        self._records = caplog
        self._health = JudgeHealth(LaneSettings(breaker_failures=failures), Backoff(), lambda state: None)
        self._log = HealthLog(identity)
        self.now = 1000.0

    def after(self, *results):
        """The lines so far, once calls have ended like this, one a second."""
        for result in results:
            self.now += 1
            if self._health.admits(0, self.now):
                self._health.ended(result, self.now)
                self._log.ended(result, self._health, self.now)
        return [f"{record.levelname} {record.getMessage()}" for record in self._records.records]


@pytest.fixture
def log(caplog):
    return Log(caplog)


def test_the_log_tells_once_that_a_judge_is_paused_and_once_that_it_works_again(log):
    assert log.after(DOWN, DOWN) == []
    down = "WARNING judge gpt: unavailable at 127.0.0.1:8000 (HTTP 503): paused, trying again in 5 s"
    assert log.after(DOWN, *[DOWN] * 40) == [down]
    log.now += 60
    assert log.after(REPLY, REPLY) == [down, "INFO judge gpt: works again"]


def test_a_wrong_key_is_told_at_the_first_call_and_not_again_when_the_breaker_opens(log):
    denied = "WARNING judge gpt: unauthorized at 127.0.0.1:8000 (HTTP 401: is the key right?)"
    assert log.after(DENIED, DENIED, DENIED, DENIED) == [denied]


def test_a_wrong_key_that_opens_the_breaker_at_once_tells_the_pause(caplog):
    [line] = Log(caplog, failures=1).after(DENIED)
    assert line.endswith("(HTTP 401: is the key right?): paused, trying again in 5 s")


def test_a_pause_that_the_provider_asks_for_is_the_one_told(log):
    [line] = log.after(DOWN, DOWN, JudgeError(FailReason.RATE_LIMITED, "HTTP 429", retryable=True, retry_after=20))
    assert line == "WARNING judge gpt: rate_limited at 127.0.0.1:8000 (HTTP 429): paused, trying again in 20 s"


def test_replies_that_cannot_be_used_and_skips_are_for_the_metrics_not_the_log(log):
    assert log.after(*[MALFORMED] * 9, Skipped(SkipReason.TOO_LONG), REPLY) == []


def test_a_judge_is_not_said_to_work_before_it_has_given_a_verdict(log):
    assert len(log.after(DENIED, MALFORMED, Skipped(SkipReason.TOO_LONG))) == 1


def test_a_judge_that_comes_and_goes_is_told_once_a_minute_at_most(log):
    assert len(log.after(*[DENIED, REPLY] * 25)) == 2
    log.now += 60
    assert len(log.after(DENIED)) == 3


def test_a_detail_of_many_lines_is_one_short_line_and_a_judge_without_server_has_none(caplog):
    log = Log(caplog, JudgeIdentity("own", "subprocess", "x", "1"))
    [line] = log.after(JudgeError(FailReason.UNAUTHORIZED, "no\nWARNING forged\x1b[31m" + "x" * 5_000))
    assert line.startswith("WARNING judge own: unauthorized (no WARNING forged [31mx")
    assert len(line) < 300
