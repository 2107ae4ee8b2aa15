"""All dialects, in the order in which they are believed where several speak on one span."""

from collections.abc import Sequence
from functools import lru_cache

from collector.codec import Span
from collector.conventions import (
    azure_ai,
    deepeval,
    dify_loongsuite,
    google_adk,
    haystack,
    langfuse,
    langsmith,
    mlflow,
    openinference,
    openlit,
    openllmetry,
    otel_genai,
    pydantic_ai,
    retrieval_context,
    spring_ai,
    trulens,
    vercel_ai,
)
from collector.conventions.reading import Dialect, SpanReading

DIALECTS: tuple[Dialect, ...] = (
    retrieval_context.DIALECT,
    langsmith.DIALECT,
    openinference.DIALECT,
    langfuse.DIALECT,
    mlflow.DIALECT,
    trulens.DIALECT,
    deepeval.DIALECT,
    haystack.DIALECT,
    openllmetry.DIALECT,
    spring_ai.DIALECT,
    azure_ai.DIALECT,
    dify_loongsuite.DIALECT,
    vercel_ai.DIALECT,
    pydantic_ai.DIALECT,
    google_adk.DIALECT,
    openlit.DIALECT,
    otel_genai.DIALECT,
)

_ENDING = "*"


def _index(dialects: Sequence[Dialect]) -> tuple[dict[str, int], tuple[str, ...], int]:
    """Bits of the dialects by attribute key; the endings of keys that some ask for, and the bits of those."""
    by_key: dict[str, int] = {}
    endings: list[str] = []
    of_endings = 0
    for bit, dialect in enumerate(dialects):
        for key in dialect.keys:
            if key.startswith(_ENDING):
                endings.append(key.removeprefix(_ENDING))
                of_endings |= 1 << bit
            else:
                by_key[key] = by_key.get(key, 0) | 1 << bit
    return by_key, tuple(endings), of_endings


_BY_KEY, _ENDINGS, _OF_ENDINGS = _index(DIALECTS)


def markers(dialects: Sequence[Dialect] = DIALECTS) -> tuple[bytes, ...]:
    """The byte strings one of which every recognised span holds; none that holds another one."""
    every = {marker for dialect in dialects for marker in dialect.markers}
    return tuple(sorted(marker for marker in every if not any(other in marker for other in every - {marker})))


def read_span(span: Span) -> tuple[SpanReading | None, tuple[str, ...]]:
    """What all dialects together say about the span, and which of them had something to say."""
    asked = 0
    for key in span.attributes:
        asked |= _BY_KEY.get(key, 0)
        if key.endswith(_ENDINGS):
            asked |= _OF_ENDINGS
    reading: SpanReading | None = None
    names: tuple[str, ...] = ()
    for dialect in _asked(asked):
        said = dialect.read(span)
        if said is not None:
            reading = said if reading is None else reading.completed_by(said)
            names += (dialect.name,)
    return reading, names


@lru_cache(maxsize=1024)
def _asked(bits: int) -> tuple[Dialect, ...]:
    return tuple(dialect for bit, dialect in enumerate(DIALECTS) if bits >> bit & 1)


def switch_of(name: str) -> str:
    """What an operator sets so that the dialect's instrumentation records texts; "" where there is nothing to set."""
    return next((dialect.switch for dialect in DIALECTS if dialect.name == name), "")
