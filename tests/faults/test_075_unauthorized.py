import logging

import pytest

from evaluators.breaker import BreakerState
from evaluators.evaluation import FailReason
from tests.fakes import api_error
from tests.judging import judging_by_llm
from tests.samples import sample

KEY = "sk-live-0123456789"


@pytest.mark.parametrize("status", [401, 403])
async def test_it_is_not_retried_shows_in_the_state_and_prints_no_key(status, monkeypatch, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("JUDGE_KEY", KEY)
    refusal = api_error(status, f"Incorrect API key provided: {KEY}")
    async with judging_by_llm(refusal, judge={"api_key_env": "JUDGE_KEY"}, deadline_s=1) as (stub, running):
        judgements = await running.judge(*(sample(f"{i:032x}", answer=f"{i}") for i in range(5)))
        assert len(stub.requests) == 5
        assert {judgement.result.reason for judgement in judgements} == {FailReason.UNAUTHORIZED}
        assert running.dispatcher.state("openai") is BreakerState.OPEN
        assert running.dispatcher.last_failure("openai") is FailReason.UNAUTHORIZED
    shown = capfd.readouterr()
    assert KEY not in repr(judgements) + caplog.text + shown.out + shown.err
