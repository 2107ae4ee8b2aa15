"""What a judge looks at: question, retrieved chunks and answer of one trace."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Readiness(StrEnum):
    """Whether a trace holds what a judge needs, and if not, what is missing first."""

    RAG = "rag"
    NO_RETRIEVAL = "no_retrieval"
    NO_DOCUMENTS = "no_documents"
    NO_TEXT = "no_text"
    NO_ANSWER = "no_answer"
    NO_QUESTION = "no_question"


@dataclass(frozen=True, slots=True)
class Chunk:
    """One retrieved document, as the model saw it.

    `text` is None where the instrumentation recorded none or masked it. `score` is the retriever's own,
    higher is better, on the retriever's own scale. `span_id` (16 hex digits) names the span that returned it. `masked`
    says that the application hid the text.
    """

    text: str | None
    id: str | None = None
    score: float | None = None
    source: str | None = None
    span_id: str | None = None
    truncated: bool = False
    masked: bool = False


class Place(StrEnum):
    """Where a text of a trace came from."""

    CHUNK = "chunk"
    QUESTION = "question"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A text of the trace seems to give orders to a model: `excerpt` are its words, decoded and not redacted.

    `chunk` is a position in the sample's context, None where the place is no chunk.
    """

    place: Place
    excerpt: str
    chunk: int | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """What is known to be right about a question. Live traces have none; datasets and regression runs do.

    `answer` is a right answer, `expected_context` the passages that should be retrieved, `key_points` what an answer
    must say, `answerable` whether the documents hold an answer at all; None where nobody said.
    """

    answer: str | None = None
    expected_context: tuple[str, ...] = ()
    key_points: tuple[str, ...] = ()
    answerable: bool | None = None


@dataclass(frozen=True, slots=True)
class ModelTokens:
    """What the application's calls of one model took; `model` is None where its spans do not name it.

    `untold` counts calls whose spans tell no tokens: the sums are a lower bound then.
    """

    model: str | None
    input: int = 0
    output: int = 0
    untold: int = 0


@dataclass(frozen=True, slots=True)
class RagSample:
    """One trace, rebuilt: the only thing that judges, metrics and rules know of an application.

    `trace_id` is 32 lower-case hex digits. `chunks` are in the order the model saw them. `attributes` are
    low-cardinality facts to filter and slice by (`gen_ai.request.model`, `deployment.environment` ...).
    `incomplete` says that the transport lost or cut some of it. `reason` explains `readiness` to an operator.
    `span_id` (16 hex digits) is the trace's first span: the root where it is known.
    `revision` counts the verdicts that an earlier closing of the same trace already had. `duration_s` is the
    application's own, None where the spans do not say; `tokens` has an entry for each model that it called.
    `suspicions` are texts of it that seem to give orders to a model.
    """

    trace_id: str
    service: str
    readiness: Readiness
    question: str | None = None
    chunks: tuple[Chunk, ...] = ()
    answer: str | None = None
    session: str | None = None
    user: str | None = None
    incomplete: bool = False
    excluded: str | None = None
    dialects: tuple[str, ...] = ()
    reason: str = ""
    attributes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    duration_s: float | None = None
    revision: int = 0
    span_id: str | None = None
    reference: Reference | None = None
    tokens: tuple[ModelTokens, ...] = ()
    suspicions: tuple[Suspicion, ...] = ()

    @property
    def context(self) -> tuple[Chunk, ...]:
        """The chunks that carry readable text; the positions in it are what facets refer to."""
        return tuple(chunk for chunk in self.chunks if chunk.text and not chunk.text.isspace())
