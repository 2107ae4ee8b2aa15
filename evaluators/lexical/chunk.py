"""A chunk, cut into sentences of terms. Retrievers return the same chunks again and again: the last ones are kept."""

from functools import lru_cache
from typing import NamedTuple

from evaluators.lexical.sentences import sentence_spans
from evaluators.lexical.tokens import terms

CHUNK_CHARACTERS = 65_536
_KEPT = 1_024
_KEPT_CHARACTERS = 4_096


class Part(NamedTuple):
    """A sentence: where it stands in the chunk, and its terms."""

    start: int
    end: int
    terms: list[str]


def parts(text: str) -> list[Part]:
    """The sentences of the first 64 KiB that have a term. The list is shared: nobody changes it."""
    return _kept(text) if len(text) <= _KEPT_CHARACTERS else _cut(text)


def _cut(text: str) -> list[Part]:
    cut = (Part(start, end, terms(text[start:end])) for start, end in sentence_spans(text[:CHUNK_CHARACTERS]))
    return [part for part in cut if part.terms]


_kept = lru_cache(maxsize=_KEPT)(_cut)
