"""A judge behind any server that speaks OpenAI's chat completions: OpenAI itself, Azure, vLLM, Ollama, llama.cpp."""

import ipaddress
import os
import re
from functools import cache
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, field_validator
from yarl import URL

from evaluators.asks import PROMPT_VERSION, rubric_digest
from evaluators.clock import Clock, SystemClock
from evaluators.errors import PermanentError
from evaluators.evaluation import FailReason, SkipReason
from evaluators.facets import Facet
from evaluators.judges.base import JudgeError, JudgeIdentity, JudgeReply, NotJudgedError, Usage
from evaluators.judges.dialect import Dialect
from evaluators.judges.http import BadRequestError, HttpEndpoint
from evaluators.prompt import Prompt, build_prompt
from evaluators.sample import RagSample
from evaluators.verdict import read_verdict
from evaluators.verdict_schema import verdict_schema

_SEED = 7
_MODEL = re.compile(r"[\w./:@+-]{1,128}", re.ASCII)
_TOO_LONG = ("context_length_exceeded", "maximum context length", "context window", "too many tokens")


class OpenAISettings(BaseModel):
    """`api_key_env` names the environment variable that holds the key; null for a server that wants none.

    `plan`: all facets in one call (cheapest), or one call each. A context over `max_input_tokens` is cut per chunk.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    type: Literal["openai"] = "openai"
    name: str = Field("openai", pattern=r"^[a-z][a-z0-9_-]{0,31}$")
    base_url: str = "https://api.openai.com/v1"
    model: str = Field(min_length=1, max_length=128)
    api_key_env: str | None = Field("OPENAI_API_KEY", min_length=1)
    timeout_s: float = Field(30.0, gt=0, le=600, allow_inf_nan=False)
    max_input_tokens: PositiveInt = 16_000
    max_output_tokens: PositiveInt = 2_000
    plan: Literal["combined", "separate"] = "combined"
    rubric: tuple[Annotated[str, Field(min_length=1, max_length=500)], ...] = Field((), max_length=20)

    @property
    def facets(self) -> frozenset[Facet]:
        """What a judge with these settings answers."""
        return frozenset(Facet) - {Facet.GRADE} - (frozenset() if self.rubric else {Facet.RUBRIC})

    @field_validator("base_url")
    @classmethod
    def _is_plain_url(cls, value: str) -> str:
        try:
            url = URL(value)
        except ValueError:
            raise ValueError("base_url is not a URL") from None
        if url.scheme not in ("http", "https") or not url.host:
            raise ValueError("base_url must begin with http:// or https:// and a host")
        if url.user or url.password or url.query_string or url.fragment:
            raise ValueError("base_url holds no user, password, query or fragment: keys belong into api_key_env")
        return value.rstrip("/")


class OpenAIJudge:
    """Asks for all facets given in one completion, without tools, at temperature 0 with a fixed seed.

    Parameters that the server refuses are dropped and not sent again. A reply that hits the token limit doubles the
    limit, once, and is retryable. Raises PermanentError where the key's environment variable is missing.
    """

    def __init__(self, settings: OpenAISettings, clock: Clock | None = None) -> None:
        url = URL(settings.base_url)
        self.facets = settings.facets
        self.identity = JudgeIdentity(
            name=settings.name,
            provider="openai",
            model=settings.model,
            version=PROMPT_VERSION,
            parameters={
                "server": url.authority,
                "temperature": "0",
                "seed": str(_SEED),
                "max_input_tokens": str(settings.max_input_tokens),
                **({"rubric": rubric_digest(settings.rubric)} if settings.rubric else {}),
            },
        )
        self.remote = not _is_loopback(url.host or "")
        self._settings = settings
        self._endpoint = HttpEndpoint(
            f"{settings.base_url}/chat/completions",
            _authorization(settings),
            clock or SystemClock(),
            timeout_s=settings.timeout_s,
        )
        self._dialect = Dialect()
        self._max_output_tokens = settings.max_output_tokens

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        """One completion, read strictly."""
        prompt = build_prompt(sample, facets, self._settings.max_input_tokens, rubric=self._settings.rubric)
        limit = self._max_output_tokens
        completion = await self._complete(prompt, facets, limit)
        answers = read_verdict(self._content(completion, limit), facets, prompt.shown, self._settings.rubric)
        return JudgeReply(answers, _usage(completion), _reported_model(completion), prompt.flags)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    async def _complete(self, prompt: Prompt, facets: frozenset[Facet], limit: int) -> dict[str, Any]:
        """Ask in the server's dialect. Each round drops a parameter, so there are few; they end when none is left."""
        dialect = self._dialect
        while True:
            try:
                return await self._endpoint.post(self._body(prompt, facets, limit, dialect))
            except BadRequestError as refusal:
                reduced = dialect.without(refusal)
                if reduced == dialect:
                    raise _final(refusal) from None
                dialect = self._dialect = reduced

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

    def _content(self, completion: dict[str, Any], limit: int) -> str:
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
            raise self._truncated(limit)
        if not isinstance(content, str) or not content.strip():
            raise JudgeError(FailReason.MALFORMED, "an empty reply", retryable=True)
        return content

    def _truncated(self, limit: int) -> JudgeError:
        raised = self._settings.max_output_tokens * 2
        self._max_output_tokens = raised
        return JudgeError(FailReason.TRUNCATED, f"the reply hit {limit} tokens", retryable=limit < raised)


@cache
def _response_format(kind: str, facets: frozenset[Facet]) -> dict[str, Any]:
    if kind == "json_object":
        return {"type": kind}
    return {"type": kind, kind: {"name": "verdict", "strict": True, "schema": verdict_schema(facets)}}


def _authorization(settings: OpenAISettings) -> dict[str, str]:
    if settings.api_key_env is None:
        return {}
    key = os.environ.get(settings.api_key_env, "").strip()
    if not key:
        raise PermanentError(
            f"judge {settings.name!r}: api_key_env names the environment variable {settings.api_key_env}, which is not "
            "set: set it to the key, or set api_key_env to null for a server without keys"
        )
    return {"Authorization": f"Bearer {key}"}


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _final(refusal: BadRequestError) -> Exception:
    text = f"{refusal.code} {refusal.text}".lower()
    if any(sign in text for sign in _TOO_LONG):
        return NotJudgedError(SkipReason.TOO_LONG)
    if "content_filter" in text:
        return JudgeError(FailReason.CONTENT_FILTER, str(refusal))
    return JudgeError(FailReason.ERROR, str(refusal))


def _usage(completion: dict[str, Any]) -> Usage:
    """What the provider says it used; a count that is none is 0, since a verdict does not depend on it."""
    usage = completion.get("usage")
    if not isinstance(usage, dict):
        return Usage()
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31 else 0


def _reported_model(completion: dict[str, Any]) -> str | None:
    model = completion.get("model")
    return model if isinstance(model, str) and _MODEL.fullmatch(model) else None
