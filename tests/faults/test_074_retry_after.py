import time
from email.utils import formatdate

import pytest

from evaluators.evaluation import FailReason
from evaluators.facets import FacetAnswers
from tests.fakes import api_error, completion
from tests.judging import judging_by_llm
from tests.samples import sample

GOOD = completion(
    '{"claims": [], "relevance": [{"chunk": "c1", "score": 1}, {"chunk": "c2", "score": 0}],'
    ' "answer": {"relevancy": 1, "abstained": false}}'
)


async def judged_after(header, deadline_s=30.0):
    async with judging_by_llm(api_error(429, Retry_After=header), GOOD, deadline_s=deadline_s) as (_, running):
        started = time.monotonic()
        [judgement] = await running.judge(sample())
        return judgement.result, time.monotonic() - started


@pytest.mark.parametrize("header", ["1", lambda: formatdate(time.time() + 2, usegmt=True)])
async def test_seconds_and_dates_are_waited_for(header):
    result, waited = await judged_after(header if isinstance(header, str) else header())
    assert isinstance(result, FacetAnswers)
    assert 0.9 <= waited < 4


@pytest.mark.parametrize("header", ["-30", "soon"])
async def test_a_negative_or_unreadable_wish_is_none(header):
    result, waited = await judged_after(header)
    assert isinstance(result, FacetAnswers)
    assert waited < 1.5


async def test_an_absurd_wish_fails_the_sample_at_once_where_it_cannot_be_met():
    result, waited = await judged_after("86400", deadline_s=10)
    assert result.reason is FailReason.RATE_LIMITED
    assert waited < 1
