"""What every part of a verdict is held to: ids that were asked about, and quotes that the texts hold."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from evaluators.asks import chunk_id
from evaluators.clean_text import clean
from evaluators.evaluation import FailReason
from evaluators.judges.base import JudgeError
from evaluators.quotes import find_quote

_MAX_CLAIM = 1_000
"""Characters. More is cut: the model decides how much it writes, we decide how much we keep."""


def invalid(where: str, what: str) -> JudgeError:
    """The error of a verdict that cannot be used; neither part holds text of the trace or the model."""
    return JudgeError(FailReason.INVALID_VERDICT, f"{where}: {what}")


def claim_text(text: str) -> str:
    """A claim as it is kept."""
    return clean(text[:_MAX_CLAIM])


@lru_cache(maxsize=64)
def positions(count: int) -> Mapping[str | None, int]:
    """Position by chunk id, in order; None, which models may say, is no id."""
    return {chunk_id(position): position for position in range(count)}


def position_of(where: str, chunk: str | None, count: int) -> int | None:
    """The position that a chunk id stands for, None for null. Raises JudgeError for any other id."""
    named = positions(count).get(chunk)
    if named is None and chunk is not None:
        raise invalid(where, "not a chunk that was asked about")
    return named


def evidence(where: str, quote: str | None, named: int, chunks: Sequence[str]) -> tuple[int, str]:
    """Where `quote` stands, first looked for in the chunk named. A quote that no chunk holds is invented evidence."""
    if quote is None:
        raise invalid(where, "a chunk without a quote")
    if found := find_quote(quote, chunks[named]):
        return named, found
    for position, chunk in enumerate(chunks):
        if found := find_quote(quote, chunk):
            return position, found
    raise invalid(where, "a quote that is in no chunk")
