"""A judge behind any server that speaks OpenAI's chat completions: OpenAI itself, Azure, vLLM, Ollama, llama.cpp."""

from functools import cache
from typing import Any, Literal

import orjson

from evaluators.clock import Clock, SystemClock
from evaluators.evaluation import FailReason
from evaluators.facets import Facet
from evaluators.judges.base import JudgeError, JudgeIdentity, Usage
from evaluators.judges.dialect import Dialect
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
from evaluators.judges.settings import KeyEnv, LlmSettings, Name, PlainUrl, bearer
from evaluators.prompt import Prompt
from evaluators.verdict_schema import verdict_schema

_SEED = 7


class OpenAISettings(LlmSettings):
    """Any server of this API; `base_url` ends where `/chat/completions` begins."""

    type: Literal["openai"] = "openai"
    name: Name = "openai"
    base_url: PlainUrl = "https://api.openai.com/v1"
    api_key_env: KeyEnv | None = "OPENAI_API_KEY"


class OpenAIJudge(LlmJudge):
    """One completion at temperature 0 with a fixed seed. Parameters that the server refuses are not sent again.

    Raises PermanentError where the key's environment variable is missing.
    """

    def __init__(self, settings: OpenAISettings, clock: Clock | None = None) -> None:
        super().__init__(settings)
        self._endpoint = HttpEndpoint(
            f"{settings.base_url}/chat/completions",
            bearer(settings.name, settings.api_key_env),
            clock or SystemClock(),
            timeout_s=settings.timeout_s,
        )
        self._dialect = Dialect()

    @property
    def identity(self) -> JudgeIdentity:
        """Who judges."""
        return self._identity("openai", temperature="0", seed=str(_SEED))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    async def _complete(self, prompt: Prompt, facets: frozenset[Facet], limit: int) -> Completion:
        """Ask in the server's dialect. Each round drops a parameter, so there are few; they end when none is left."""
        dialect = self._dialect
        while True:
            try:
                response = await self._endpoint.post(self._body(prompt, facets, limit, dialect))
                break
            except BadRequestError as refusal:
                reduced = dialect.without(refusal)
                if reduced == dialect:
                    raise refusal_of(refusal) from None
                dialect = self._dialect = reduced
        usage = reported_usage(response, "prompt_tokens", "completion_tokens")
        with charged(usage):
            return Completion(self._content(response, limit, usage), usage, reported_model(response))

    def _body(self, prompt: Prompt, facets: frozenset[Facet], limit: int, dialect: Dialect) -> bytes:
        body: dict[str, Any] = {
            "model": self._settings.model,
            "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
            dialect.limit_field: limit,
        }
        if dialect.temperature:
            body["temperature"] = 0
        if dialect.seed:
            body["seed"] = _SEED
        if dialect.format != "text":
            body["response_format"] = _response_format(dialect.format, facets)
        return orjson.dumps(body)

    def _content(self, completion: dict[str, Any], limit: int, usage: Usage) -> str:
        """What the model wrote, or JudgeError with the reason why that is no complete answer."""
        try:
            choice = completion["choices"][0]
            message, finish = choice["message"], choice.get("finish_reason")
            content, refusal = message.get("content"), message.get("refusal")
        except (KeyError, IndexError, TypeError, AttributeError):
            raise JudgeError(FailReason.MALFORMED, "the response is not a chat completion") from None
        if finish == "content_filter":
            raise JudgeError(FailReason.CONTENT_FILTER, "the provider's filter stopped the reply")
        if refusal:
            raise JudgeError(FailReason.REFUSED, "the model refused")
        if finish == "length":
            raise self._truncated(limit, usage.output_tokens)
        return whole_text(content)


@cache
def _response_format(kind: str, facets: frozenset[Facet]) -> dict[str, Any]:
    if kind == "json_object":
        return {"type": kind}
    return {"type": kind, kind: {"name": "verdict", "strict": True, "schema": verdict_schema(facets)}}
