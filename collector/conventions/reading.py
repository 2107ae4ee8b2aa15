"""What a dialect says about a span."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from collector.codec import Span
from evaluators.sample import Chunk


class Kind(StrEnum):
    """What a span did, in our words."""

    RETRIEVAL = "retrieval"
    RERANKING = "reranking"
    GENERATION = "generation"
    EMBEDDING = "embedding"
    TOOL = "tool"
    PROMPT = "prompt"
    CHAIN = "chain"
    GUARDRAIL = "guardrail"
    EVALUATION = "evaluation"


class State(StrEnum):
    """What became of the documents of a retrieval.

    `absent`: not recorded. `empty`: recorded, and none was found. `masked`: the application hid them. `unreadable`:
    recorded in a form without text (Python reprs, unknown keys). `present`: at least one, perhaps without text.
    """

    ABSENT = "absent"
    EMPTY = "empty"
    MASKED = "masked"
    UNREADABLE = "unreadable"
    PRESENT = "present"


@dataclass(frozen=True, slots=True)
class Documents:
    """Retrieved documents in order.

    `truncated` says that some are missing or cut. `keys` names the fields of documents in which no text was found.
    """

    state: State
    chunks: tuple[Chunk, ...] = ()
    truncated: bool = False
    keys: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.state is not State.ABSENT


ABSENT = Documents(State.ABSENT)


@dataclass(frozen=True, slots=True)
class Text:
    """A question or an answer.

    `plain` is False where it was dug out of a structure. `masked`: the application hid it, and `value` is empty.
    `cut`: a length limit cut it.
    """

    value: str
    plain: bool = True
    masked: bool = False
    cut: bool = False


class Tokens(NamedTuple):
    """What a span says that a model's call took, or all calls under it. A direction that it does not tell is 0."""

    input: int
    output: int


@dataclass(frozen=True, slots=True)
class SpanReading:
    """One span in our words. Values that are not said stay None, and a later dialect may say them.

    `kind` None means "ours, but of no particular kind". `query`, `input` and `output` are attribute values as they
    came, read for a question or an answer only when the trace needs one. `documents` are what a retrieval or a
    reranking returned, `candidates` what a reranking was given. `explicit` is context that the application declared
    for the whole trace. `excluded` is why the whole trace is not to be judged. `attributes` are low-cardinality facts.
    `tokens` are a model's that answers, not those of embeddings and rerankings.
    """

    kind: Kind | None
    query: object | None = None
    documents: Documents = ABSENT
    candidates: Documents = ABSENT
    input: object | None = None
    output: object | None = None
    session: str | None = None
    user: str | None = None
    application: str | None = None
    excluded: str | None = None
    explicit: Documents = ABSENT
    attributes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    tokens: Tokens | None = None

    def completed_by(self, other: "SpanReading") -> "SpanReading":
        """This reading, with what it does not say taken from a dialect of lower rank."""
        return replace(
            self,
            kind=self.kind or other.kind,
            query=_first(self.query, other.query),
            documents=self.documents or other.documents,
            candidates=self.candidates or other.candidates,
            input=_first(self.input, other.input),
            output=_first(self.output, other.output),
            session=self.session or other.session,
            user=self.user or other.user,
            application=self.application or other.application,
            excluded=self.excluded or other.excluded,
            explicit=self.explicit or other.explicit,
            attributes={**other.attributes, **self.attributes},
            tokens=self.tokens or other.tokens,
        )


def _first(value: object | None, other: object | None) -> object | None:
    return other if value is None else value


@dataclass(frozen=True, slots=True)
class Dialect:
    """One instrumentation's way to mark spans.

    `markers`: a span that holds none of these byte strings is not kept, so each recognised span must hold one.
    `keys`: `read` is asked only about spans with one of these attributes (`*name`: one whose key ends in name).
    `read` says what the span is, or None where the dialect has nothing to say; it must not raise on any attribute
    value. `switch` tells an operator what to set where texts are missing.
    """

    name: str
    markers: tuple[bytes, ...]
    keys: tuple[str, ...]
    read: Callable[[Span], SpanReading | None]
    switch: str = ""
