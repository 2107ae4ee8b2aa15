"""A chunk as it is read: sentences of terms. Retrievers return the same chunks again and again: readings are kept."""

from functools import lru_cache
from typing import NamedTuple

from evaluators.lexical.purge import without_instructions
from evaluators.lexical.roots import root_of
from evaluators.lexical.sentences import sentence_spans
from evaluators.lexical.tokens import terms
from evaluators.lexical.weights import FUNCTION_TERMS

CHUNK_CHARACTERS = 65_536
_KEPT = 512
_KEPT_CHARACTERS = 4_096


class Part(NamedTuple):
    """A sentence: where it stands in the text, and its terms."""

    start: int
    end: int
    terms: list[str]


class Reading(NamedTuple):
    """A chunk without what gives orders to a judge, in sentences. It is shared: nobody changes it.

    `holding[term]` is the set of sentences with a content term, as bits; `akin[root]` of those with a related one.
    """

    text: str
    parts: list[Part]
    holding: dict[str, int]
    akin: dict[str, int]


def read(text: str) -> Reading:
    """Read the first 64 KiB of a chunk."""
    return _kept(text) if len(text) <= _KEPT_CHARACTERS else _read(text)


def _read(text: str) -> Reading:
    text = without_instructions(text)
    cut = (Part(start, end, terms(text[start:end])) for start, end in sentence_spans(text[:CHUNK_CHARACTERS]))
    parts = [part for part in cut if part.terms]
    holding: dict[str, int] = {}
    akin: dict[str, int] = {}
    for number, part in enumerate(parts):
        bit = 1 << number
        for term in set(part.terms) - FUNCTION_TERMS:
            holding[term] = holding.get(term, 0) | bit
    for term, bits in holding.items():
        root = root_of(term)
        akin[root] = akin.get(root, 0) | bits
    return Reading(text, parts, holding, akin)


_kept = lru_cache(maxsize=_KEPT)(_read)
