"""What judges behind a language model share: the prompt, the strict reading of the reply, the output limit."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from evaluators.asks import PROMPT_VERSION, rubric_digest
from evaluators.egress import build_egress
from evaluators.evaluation import FailReason, SkipReason
from evaluators.facets import Facet
from evaluators.judges.base import JudgeError, JudgeIdentity, JudgeReply, NotJudgedError, Usage
from evaluators.judges.http import BadRequestError
from evaluators.judges.settings import LlmSettings
from evaluators.prompt import Prompt, build_prompt
from evaluators.sample import RagSample
from evaluators.verdict import read_verdict

_MODEL = re.compile(r"[\w./:@+-]{1,128}", re.ASCII)
_TOO_LONG = (
    *("context_length_exceeded", "context length", "context size", "context window", "too many tokens"),
    "prompt is too long",
)
"""OpenAI, vLLM and SGLang speak of the context's length, llama.cpp of its size, others of the window."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote, whole, and what the provider says of it. `model` is None where it does not say."""

    text: str
    usage: Usage
    model: str | None


class LlmJudge(ABC):
    """Asks for all facets given in one completion, without tools, and reads it strictly.

    A reply that hits the output limit doubles the limit, once, and is retryable.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self.facets = settings.facets
        self.remote = settings.remote
        self._settings = settings
        self._egress = build_egress(settings.name, settings, remote=settings.remote)
        self._rubric = settings.rubric
        self._max_input_tokens = settings.max_input_tokens
        self._max_output_tokens = settings.max_output_tokens
        self._highest_limit = settings.max_output_tokens * 2

    @property
    @abstractmethod
    def identity(self) -> JudgeIdentity:
        """Who judges."""

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        """One completion, read strictly."""
        passage = self._egress.open()
        protect = passage.protect if self._egress.parameters else None
        prompt = build_prompt(sample, facets, self._max_input_tokens, rubric=self._rubric, protect=protect)
        completion = await self._complete(prompt, facets, self._max_output_tokens)
        with charged(completion.usage):
            answers = read_verdict(completion.text, facets, prompt.shown, self._rubric)
        return JudgeReply(passage.restored(answers), completion.usage, completion.model, prompt.flags)

    @abstractmethod
    async def _complete(self, prompt: Prompt, facets: frozenset[Facet], limit: int) -> Completion:
        """The model's whole reply of at most `limit` tokens. Raises JudgeError or NotJudgedError."""

    @abstractmethod
    async def aclose(self) -> None:
        """Close the connections. May be called twice."""

    def _identity(self, provider: str, **parameters: str) -> JudgeIdentity:
        """Who judges, and on which server, with all that a verdict depends on."""
        settings = self._settings
        parameters["server"] = settings.server
        if settings.rubric:
            parameters["rubric"] = rubric_digest(settings.rubric)
        parameters["max_input_tokens"] = str(settings.max_input_tokens)
        parameters |= self._egress.parameters
        return JudgeIdentity(settings.name, provider, settings.model, PROMPT_VERSION, parameters)

    def _truncated(self, limit: int, written: int = 0) -> JudgeError:
        """The error of a reply that hit `limit` tokens; the next one may have more. `written` is 0 where unknown."""
        self._max_output_tokens = self._highest_limit
        detail = f"the reply hit {limit} tokens"
        if 0 < written < limit:
            detail = f"the reply was cut at {written} tokens, below the limit of {limit}: is the server's context full?"
        return JudgeError(FailReason.TRUNCATED, detail, retryable=limit < self._highest_limit)


@contextmanager
def charged(usage: Usage) -> Iterator[None]:
    """What fails in here has cost `usage`: a reply that cannot be used is paid for like any other."""
    try:
        yield
    except (JudgeError, NotJudgedError) as error:
        error.usage = usage
        raise


def whole_text(content: object) -> str:
    """`content` where it is text. Raises JudgeError for an empty reply."""
    if not isinstance(content, str) or not content.strip():
        raise JudgeError(FailReason.MALFORMED, "an empty reply", retryable=True)
    return content


def refusal_of(request: BadRequestError) -> JudgeError | NotJudgedError:
    """What a refused request means where nothing can be left out of it."""
    text = f"{request.code} {request.text}".lower()
    if any(sign in text for sign in _TOO_LONG):
        return NotJudgedError(SkipReason.TOO_LONG)
    if "content_filter" in text:
        return JudgeError(FailReason.CONTENT_FILTER, str(request))
    return JudgeError(FailReason.ERROR, str(request))


def reported_model(response: dict[str, object]) -> str | None:
    """The model that the provider says it used."""
    model = response.get("model")
    return model if isinstance(model, str) and _MODEL.fullmatch(model) else None


def reported_usage(response: dict[str, object], input_field: str, output_field: str) -> Usage:
    """What the provider says it used; a count that is none is 0, since a verdict does not depend on it."""
    usage = response.get("usage")
    if not isinstance(usage, dict):
        return Usage()
    return Usage(_count(usage.get(input_field)), _count(usage.get(output_field)))


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31 else 0
