"""What holds whatever a real model says. The model is far too small to judge: no verdict of its is asserted."""

import pytest

from evaluators.evaluation import FailReason
from evaluators.facets import ONLINE_FACETS, Facet
from evaluators.judges.base import JudgeError, JudgeReply, Usage
from evaluators.judges.openai import OpenAIJudge
from evaluators.sample import RagSample
from tests.contracts.test_judge import answered, check
from tests.llm.calls import fits_schema, samples
from tests.llm.overheard import overheard
from tests.llm.server import MODEL, LlmServer

pytestmark = pytest.mark.timeout(300)

ENOUGH = 120
"""Tokens: twice what a short verdict takes. What is longer is the model repeating itself."""

UNUSABLE = (FailReason.INVALID_VERDICT, FailReason.TRUNCATED)


async def asked(server: LlmServer, facets: frozenset[Facet]) -> JudgeReply | JudgeError:
    """What becomes of one call, once that is found to be in order."""
    [one], before = samples(1), spent(server)
    async with overheard(server.base_url, max_output_tokens=ENOUGH) as (judge, heard):
        said = await reply_or_error(judge, one, facets)
    if isinstance(said, JudgeReply):
        assert answered(said.answers) == facets
        check(said, one)
        assert said.model == MODEL
    else:
        assert said.reason in UNUSABLE
    [response] = heard.responses
    assert response["object"] == "chat.completion", "not a stream"
    assert fits_schema(response, facets) or response["choices"][0]["finish_reason"] == "length"
    assert said.usage == Usage(response["usage"]["prompt_tokens"], response["usage"]["completion_tokens"])
    after = spent(server)
    assert said.usage == Usage(after.input_tokens - before.input_tokens, after.output_tokens - before.output_tokens)
    return said


async def reply_or_error(judge: OpenAIJudge, one: RagSample, facets: frozenset[Facet]) -> JudgeReply | JudgeError:
    try:
        return await judge.ask(one, facets)
    except JudgeError as error:
        return error


def spent(server: LlmServer) -> Usage:
    """Tokens, as the server counts them."""
    read = server.count("prompt_tokens_total") + server.count("prompt_tokens_cached_total")
    return Usage(read, server.count("tokens_predicted_total"))


async def test_a_verdict_on_everything_in_one_call_has_the_form_asked_for_and_is_read(llm: LlmServer) -> None:
    said = []
    for _ in range(5):  # nine of ten can be read, and each has a fence of its own
        said.append(await asked(llm, ONLINE_FACETS))
        if isinstance(said[-1], JudgeReply):
            return
    pytest.fail(f"none could be read: {said}")


@pytest.mark.parametrize("facet", sorted(ONLINE_FACETS))
async def test_a_call_for_one_facet_has_the_form_asked_for_and_is_read_or_refused_with_a_reason(
    llm: LlmServer, facet: Facet
) -> None:
    await asked(llm, frozenset({facet}))
