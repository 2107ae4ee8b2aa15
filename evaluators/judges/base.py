"""The contract of a judge."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from evaluators.errors import GroundwatchError
from evaluators.evaluation import FailReason, SkipReason
from evaluators.facets import Facet, FacetAnswers
from evaluators.sample import RagSample


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """Who judges. Part of every cache key and evaluation id: scores of different identities are not comparable.

    `name` is the configured name and the label of its series. `version` covers algorithm or prompt.
    """

    name: str
    provider: str
    model: str
    version: str
    parameters: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        settings = ",".join(f"{key}={value}" for key, value in sorted(self.parameters.items()))
        return f"{self.provider}/{self.model}@{self.version}" + (f"?{settings}" if settings else "")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that one call cost, as the provider reported them; 0 where it did not."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)

    @property
    def total(self) -> int:
        """Tokens in both directions."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """A validated answer.

    `model` is the model that the provider says it used, None where it does not say. `flags` is what a reader of the
    verdict should know: `cut` (chunks were shown in part).
    """

    answers: FacetAnswers
    usage: Usage = Usage()
    model: str | None = None
    flags: tuple[str, ...] = ()


class JudgeError(GroundwatchError):
    """The judge gave no usable answer.

    `retryable` says whether the dispatcher may ask again; `retry_after` is in seconds; `usage` is what the call cost
    all the same. The message is for operators and holds neither content of the trace nor a secret.
    """

    def __init__(
        self,
        reason: FailReason,
        detail: str = "",
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail
        self.retryable = retryable
        self.retry_after = retry_after
        self.usage = usage or Usage()


class NotJudgedError(GroundwatchError):
    """The judge will not look at this sample, although nothing went wrong: too long for its window.

    `usage` is what it cost to find out.
    """

    def __init__(self, reason: SkipReason, usage: Usage | None = None) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.usage = usage or Usage()


class Judge(Protocol):
    """Answers facets about a sample.

    `ask` gets a sample whose question, answer and context are present, answers exactly the facets asked, or raises
    JudgeError or NotJudgedError. It has no loop of its own for retries and no cache: the dispatcher has. It must be
    safe to call concurrently. Cancelled after a part of its work was paid for it may raise JudgeError with that usage.
    `facets` lists what it can answer. `remote` is True where content leaves this machine.
    """

    @property
    def identity(self) -> JudgeIdentity: ...

    @property
    def facets(self) -> frozenset[Facet]: ...

    @property
    def remote(self) -> bool: ...

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply: ...

    async def aclose(self) -> None: ...
