"""What holds whatever a real model says. The model is far too small to judge: no verdict of its is asserted."""

import contextlib

import pytest

from evaluators.evaluation import FailReason
from evaluators.facets import ONLINE_FACETS, Facet
from evaluators.judges.base import JudgeError, JudgeReply, Usage
from evaluators.judges.openai import OpenAIJudge
from evaluators.sample import RagSample
from tests.contracts.test_judge import answered, check
from tests.llm.calls import ASKS, fits_schema, samples
from tests.llm.overheard import overheard
from tests.llm.server import MODEL, LlmServer

pytestmark = pytest.mark.timeout(300)

ENOUGH = 120
"""Tokens: twice what a short verdict takes. What is longer is the model repeating itself."""

UNUSABLE = (FailReason.INVALID_VERDICT, FailReason.TRUNCATED)


async def reply_or_error(judge: OpenAIJudge, one: RagSample, facets: frozenset[Facet]) -> JudgeReply | JudgeError:
    try:
        return await judge.ask(one, facets)
    except JudgeError as error:
        return error


def spent(server: LlmServer) -> Usage:
    read = server.count("prompt_tokens_total") + server.count("prompt_tokens_cached_total")
    return Usage(read, server.count("tokens_predicted_total"))


async def test_a_verdict_on_everything_in_one_call_is_read(llm: LlmServer) -> None:
    [one] = samples(1)
    async with overheard(llm.base_url, max_output_tokens=ENOUGH) as (judge, heard):
        for _ in range(5):  # nine of ten can be read, and each has a fence of its own
            with contextlib.suppress(JudgeError):
                reply = await judge.ask(one, ONLINE_FACETS)
                break
        else:
            pytest.fail(f"none of these: {[response['choices'] for response in heard.responses]}")
    assert answered(reply.answers) == ONLINE_FACETS
    check(reply, one)


@pytest.mark.parametrize("name", ASKS)
async def test_a_reply_has_the_form_that_was_asked_for_and_is_read_or_refused_with_a_reason(
    llm: LlmServer, name: str
) -> None:
    facets, [one], before = ASKS[name], samples(1), spent(llm)
    async with overheard(llm.base_url, max_output_tokens=ENOUGH) as (judge, heard):
        said = await reply_or_error(judge, one, facets)
    if isinstance(said, JudgeReply):
        assert answered(said.answers) == facets
        check(said, one)
        assert said.model == MODEL
    else:
        assert said.reason in UNUSABLE
    [response] = heard.responses
    choice = response["choices"][0]
    assert response["object"] == "chat.completion", "not a stream"
    assert fits_schema(response, facets) or choice["finish_reason"] == "length"
    assert said.usage == Usage(response["usage"]["prompt_tokens"], response["usage"]["completion_tokens"])
    after = spent(llm)
    assert said.usage == Usage(after.input_tokens - before.input_tokens, after.output_tokens - before.output_tokens)
