import pytest

from evaluators.facets import ONLINE_FACETS
from evaluators.judges.anthropic import AnthropicJudge, AnthropicSettings
from evaluators.judges.base import JudgeError, Usage
from tests.fakes import OpenAIStub, message
from tests.samples import sample


@pytest.mark.parametrize(
    "reply",
    [
        message("I think it is fine."),
        message('{"claims": []}'),
        message(None),
        message("{", stop_reason="max_tokens"),
        message(None, stop_reason="refusal"),
    ],
)
async def test_a_reply_that_cannot_be_used_tells_what_it_cost(reply):
    async with OpenAIStub(reply) as stub:
        base_url = stub.base_url.removesuffix("/v1")
        judge = AnthropicJudge(AnthropicSettings(base_url=base_url, model="m", api_key_env=None))
        with pytest.raises(JudgeError) as failed:
            await judge.ask(sample(), ONLINE_FACETS)
        await judge.aclose()
    assert failed.value.usage == Usage(900, 120)
