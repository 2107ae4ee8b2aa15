"""Makes a context fit a judge's window: long chunks give way first, and none is dropped."""

from collections.abc import Sequence

from evaluators.evaluation import SkipReason
from evaluators.judges.base import NotJudgedError

BYTES_PER_TOKEN = 3
"""A low estimate for any script, so that what fits by it fits: English has 4 to 5, Chinese 3 to 4 bytes a token."""

_MIN_SHARE = 600
"""Bytes. A chunk cut shorter than this no longer shows what it says."""


def trim(chunks: Sequence[str], fixed: Sequence[str], max_tokens: int) -> tuple[tuple[str, ...], frozenset[int]]:
    """`chunks`, cut to fit beside the `fixed` texts into `max_tokens`, and the positions that were cut.

    Every chunk longer than the fair share is cut to it. Raises NotJudgedError(too_long) where that leaves too little.
    """
    budget = max_tokens * BYTES_PER_TOKEN - sum(map(_size, fixed))
    sizes = list(map(_size, chunks))
    if sum(sizes) <= budget:
        return tuple(chunks), frozenset()
    share = _fair_share(sizes, budget)
    if share < _MIN_SHARE:
        raise NotJudgedError(SkipReason.TOO_LONG)
    cut = frozenset(position for position, size in enumerate(sizes) if size > share)
    return tuple(_head(chunk, share) if i in cut else chunk for i, chunk in enumerate(chunks)), cut


def _fair_share(sizes: Sequence[int], budget: int) -> int:
    """The largest share for which the sum of min(size, share) stays within `budget`."""
    left = len(sizes)
    for size in sorted(sizes):
        if size * left > budget:
            break
        budget -= size
        left -= 1
    return budget // max(left, 1)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _head(text: str, size: int) -> str:
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")
