"""A judge behind Anthropic's Messages API."""

from typing import Any, Literal

import orjson

from evaluators.clock import Clock, SystemClock
from evaluators.evaluation import FailReason
from evaluators.facets import Facet
from evaluators.judges.base import JudgeError, JudgeIdentity
from evaluators.judges.http import BadRequestError, HttpEndpoint
from evaluators.judges.llm import (
    Completion,
    LlmJudge,
    charged,
    refusal_of,
    reported_model,
    reported_usage,
    whole_text,
)
from evaluators.judges.settings import KeyEnv, LlmSettings, Name, PlainUrl, read_key
from evaluators.prompt import Prompt

_API_VERSION = "2023-06-01"


class AnthropicSettings(LlmSettings):
    """`base_url` ends where `/v1/messages` begins."""

    type: Literal["anthropic"] = "anthropic"
    name: Name = "anthropic"
    base_url: PlainUrl = "https://api.anthropic.com"
    api_key_env: KeyEnv | None = "ANTHROPIC_API_KEY"


class AnthropicJudge(LlmJudge):
    """One message at temperature 0; a model that refuses a temperature is asked without one from then on.

    Raises PermanentError where the key's environment variable is missing.
    """

    def __init__(self, settings: AnthropicSettings, clock: Clock | None = None) -> None:
        super().__init__(settings)
        key = read_key(settings.name, settings.api_key_env)
        self._endpoint = HttpEndpoint(
            f"{settings.base_url}/v1/messages",
            {"anthropic-version": _API_VERSION, **({} if key is None else {"x-api-key": key})},
            clock or SystemClock(),
            timeout_s=settings.timeout_s,
        )
        self._takes_temperature = True

    @property
    def identity(self) -> JudgeIdentity:
        """Who judges."""
        return self._identity("anthropic", temperature="0")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    async def _complete(self, prompt: Prompt, facets: frozenset[Facet], limit: int) -> Completion:
        response = await self._post(prompt, limit)
        usage = reported_usage(response, "input_tokens", "output_tokens")
        with charged(usage):
            return Completion(self._content(response, limit), usage, reported_model(response))

    async def _post(self, prompt: Prompt, limit: int) -> dict[str, Any]:
        asked_with_temperature = self._takes_temperature
        try:
            return await self._endpoint.post(self._body(prompt, limit))
        except BadRequestError as refusal:
            if not (asked_with_temperature and "temperature" in refusal.text.lower()):
                raise refusal_of(refusal) from None
        self._takes_temperature = False
        try:
            return await self._endpoint.post(self._body(prompt, limit))
        except BadRequestError as refusal:
            raise refusal_of(refusal) from None

    def _body(self, prompt: Prompt, limit: int) -> bytes:
        body: dict[str, Any] = {
            "model": self._settings.model,
            "max_tokens": limit,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
        }
        if self._takes_temperature:
            body["temperature"] = 0
        return orjson.dumps(body)

    def _content(self, message: dict[str, Any], limit: int) -> str:
        """The text blocks of a reply that came to its own end, or JudgeError with the reason why it did not."""
        blocks, stop = message.get("content"), message.get("stop_reason")
        if stop == "refusal":
            raise JudgeError(FailReason.REFUSED, "the model refused")
        if stop == "max_tokens":
            raise self._truncated(limit)
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            raise JudgeError(FailReason.MALFORMED, "the response is not a message")
        texts = [block.get("text") for block in blocks if block.get("type") == "text"]
        return whole_text("".join(text for text in texts if isinstance(text, str)))
