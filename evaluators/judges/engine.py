"""What judges that are evaluation libraries share: their definitions and prompts, our connection and its limits."""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

import orjson
from pydantic import BaseModel, Field, ValidationError

from evaluators.clean_text import clean
from evaluators.clock import Clock, SystemClock
from evaluators.egress import build_egress
from evaluators.errors import PermanentError
from evaluators.evaluation import FailReason, SkipReason
from evaluators.extraction import last_object
from evaluators.facets import Facet, FacetAnswers, Grade
from evaluators.grading import texts_to_grade
from evaluators.judges.base import JudgeError, JudgeIdentity, JudgeReply, NotJudgedError, Usage
from evaluators.judges.http import BadRequestError, HttpEndpoint
from evaluators.judges.llm import refusal_of, reported_usage, whole_text
from evaluators.judges.settings import KeyEnv, PlainUrl, ServerSettings, Timeout, bearer
from evaluators.sample import RagSample
from evaluators.shown import Shown

Schema = TypeVar("Schema", bound=BaseModel)
Score = Callable[["Model", Shown], Awaitable[float]]
"""Has the library compute its metric about some texts with a model's help; NaN where it says that it cannot."""

_MAX_CALLS = 64
"""Calls for one sample: a library whose plan depends on the model's output is not to run away with the budget."""


class EngineSettings(ServerSettings):
    """A server of OpenAI's chat completions that the library's prompts go to; `pass_from` is where a score passes."""

    metric: str
    base_url: PlainUrl = "https://api.openai.com/v1"
    api_key_env: KeyEnv | None = "OPENAI_API_KEY"
    timeout_s: Timeout = 60.0
    pass_from: float = Field(0.5, ge=0, le=1, allow_inf_nan=False)

    @property
    def facets(self) -> frozenset[Facet]:
        """A grade and nothing else."""
        return frozenset({Facet.GRADE})


class Model(Protocol):
    """Writes what a schema asks for."""

    async def complete(self, prompt: str, schema: type[Schema]) -> Schema: ...


class ChatModel:
    """A model behind an endpoint, for one sample. Keeps what it cost and why it failed, whatever a library hides."""

    def __init__(self, endpoint: HttpEndpoint, name: str) -> None:
        self._endpoint = endpoint
        self._name = name
        self._calls = 0
        self.usage = Usage()
        self.failure: Exception | None = None

    async def complete(self, prompt: str, schema: type[Schema]) -> Schema:
        """One completion, constrained to `schema` and read as such. Raises JudgeError."""
        try:
            return await self._complete(prompt, schema)
        except (JudgeError, NotJudgedError) as error:
            self.failure = error
            raise

    async def _complete(self, prompt: str, schema: type[Schema]) -> Schema:
        self._calls += 1
        if self._calls > _MAX_CALLS:
            raise JudgeError(FailReason.ERROR, f"more than {_MAX_CALLS} calls for one sample")
        try:
            response = await self._endpoint.post(self._body(prompt, schema))
        except BadRequestError as refusal:
            raise refusal_of(refusal) from None
        self.usage += reported_usage(response, "prompt_tokens", "completion_tokens")
        return _read(response, schema)

    def _body(self, prompt: str, schema: type[BaseModel]) -> bytes:
        form = {"name": "verdict", "schema": schema.model_json_schema()}
        return orjson.dumps(
            {
                "model": self._name,
                "messages": [{"role": "user", "content": clean(prompt)}],
                "temperature": 0,
                "response_format": {"type": "json_schema", "json_schema": form},
            }
        )


def _read(response: dict[str, Any], schema: type[Schema]) -> Schema:
    try:
        choice = response["choices"][0]
        content, finish = choice["message"].get("content"), choice.get("finish_reason")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise JudgeError(FailReason.MALFORMED, "the response is not a chat completion") from None
    if finish in ("length", "content_filter"):
        raise JudgeError(FailReason.TRUNCATED if finish == "length" else FailReason.CONTENT_FILTER, "no whole reply")
    try:
        return schema.model_validate_json(last_object(whole_text(content)) or "")
    except ValidationError as error:
        raise JudgeError(
            FailReason.INVALID_VERDICT, f"{error.error_count()} errors against {schema.__name__}"
        ) from None


class EngineJudge(ABC):
    """One metric of one library, by the library's own definition. Raises PermanentError where it is not installed."""

    library: str
    reference_metrics: frozenset[str] = frozenset()

    def __init__(self, settings: EngineSettings, clock: Clock | None = None) -> None:
        name, metric = settings.name, settings.metric
        version, self._score = self._loaded(name, metric)
        self.facets = settings.facets
        self.remote = settings.remote
        self._egress = build_egress(name, settings, remote=settings.remote)
        parameters = {"metric": metric, "server": settings.server, **self._egress.parameters}
        self.identity = JudgeIdentity(name, self.library, settings.model, version, parameters)
        headers = bearer(name, settings.api_key_env)
        address = f"{settings.base_url}/chat/completions"
        self._endpoint = HttpEndpoint(address, headers, clock or SystemClock(), timeout_s=settings.timeout_s)
        self._model = settings.model
        self._pass_from = settings.pass_from
        self._needs_reference = metric in self.reference_metrics

    @abstractmethod
    def _load(self, metric: str) -> tuple[str, Score]:
        """The library's version and the metric. Raises ImportError where it, or what it needs, does not import."""

    def _loaded(self, name: str, metric: str) -> tuple[str, Score]:
        try:
            return self._load(metric)
        except ImportError as error:
            raise PermanentError(
                f"judge {name!r}: {self.library} does not import ({error.name or error}): "
                f"pip install 'groundwatch[{self.library}]'"
            ) from error

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        """Have the library score the sample: several calls."""
        texts, passage = texts_to_grade(sample).each(clean), self._egress.open()
        if self._needs_reference and not texts.reference:
            raise NotJudgedError(SkipReason.NO_REFERENCE)
        model = ChatModel(self._endpoint, self._model)
        try:
            value = await _scored(self._score, model, texts.each(passage.protect))
        except (JudgeError, NotJudgedError) as error:
            error.usage = model.usage
            raise
        except asyncio.CancelledError:
            # At the deadline: the calls that were answered are paid for.
            raise JudgeError(FailReason.TIMEOUT, "no answer within the deadline", usage=model.usage) from None
        grade = Grade(value, value >= self._pass_from)
        return JudgeReply(FacetAnswers(grade=grade), model.usage)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()


async def _scored(score: Score, model: ChatModel, texts: Shown) -> float:
    try:
        value = await score(model, texts)
    except (JudgeError, NotJudgedError):
        raise
    except Exception as error:  # a library wraps our errors in its own, and has others
        raise model.failure or JudgeError(FailReason.ERROR, type(error).__name__) from None
    if value != value:
        raise NotJudgedError(SkipReason.NO_CLAIMS)
    if not 0.0 <= value <= 1.0:
        raise JudgeError(FailReason.INVALID_VERDICT, "a score outside 0..1")
    return value


def keep_quiet() -> None:
    """Before a library is imported: no telemetry, nothing read from or written to the working directory."""
    for name in ("RAGAS_DO_NOT_TRACK", "DEEPEVAL_TELEMETRY_OPT_OUT", "DEEPEVAL_DISABLE_DOTENV"):
        os.environ.setdefault(name, "1")
    os.environ.setdefault("DEEPEVAL_FILE_SYSTEM", "READ_ONLY")
