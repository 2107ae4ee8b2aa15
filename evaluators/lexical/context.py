"""The context, indexed once per sample: sentences, and for every term the sentences that hold it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from evaluators.lexical.reading import Reading
from evaluators.lexical.roots import root_of
from evaluators.lexical.weights import FUNCTION_TERMS, rarity

SENTENCES_AT_MOST = 4_096

_rarities = lru_cache(maxsize=256)(rarity)


class Sentence(NamedTuple):
    """One sentence of a chunk: its position there and its terms."""

    chunk: int
    start: int
    end: int
    terms: list[str]


@dataclass(frozen=True, slots=True)
class Context:
    """Sentences of all chunks, numbered through.

    `holding[term]` is the set of sentences with a wanted content term, as bits; `akin[root]` of those with a related
    one.
    """

    texts: tuple[str, ...]
    sentences: list[Sentence]
    holding: dict[str, int]
    akin: dict[str, int]
    chunk_bits: list[int]
    rarities: list[float]

    def neighbours(self, number: int) -> int:
        """The bits of the sentences just before and after, within the chunk."""
        return (1 << number + 1 | 1 << number >> 1) & self.chunk_bits[self.sentences[number].chunk] & ~(1 << number)

    def text(self, number: int) -> str:
        """A sentence as it stands in its chunk."""
        sentence = self.sentences[number]
        return self.texts[sentence.chunk][sentence.start : sentence.end]

    def rarity(self, term: str) -> float:
        """How rare the term is among the sentences, in 0..1; 1 where it does not occur."""
        return self.rarities[self.holding.get(term, 0).bit_count()]


def index(chunks: Sequence[Reading], wanted: Iterable[str]) -> Context:
    """Index the `wanted` terms in the first 4096 sentences of all chunks, in their order.

    Function terms are not indexed: they point at nothing.
    """
    content = frozenset(wanted) - FUNCTION_TERMS
    roots = frozenset(map(root_of, content))
    sentences: list[Sentence] = []
    holding: dict[str, int] = {}
    akin: dict[str, int] = {}
    chunk_bits = []
    for number, chunk in enumerate(chunks):
        first = len(sentences)
        sentences += [Sentence(number, *part) for part in chunk.parts[: SENTENCES_AT_MOST - first]]
        here = (1 << len(sentences)) - (1 << first)
        chunk_bits.append(here)
        _merge(holding, content, chunk.holding, first, here)
        _merge(akin, roots, chunk.akin, first, here)
    return Context(
        tuple(chunk.text for chunk in chunks), sentences, holding, akin, chunk_bits, _rarities(len(sentences))
    )


def _merge(into: dict[str, int], wanted: frozenset[str], found: dict[str, int], first: int, here: int) -> None:
    for key in wanted:
        bits = found.get(key)
        if bits:
            into[key] = into.get(key, 0) | bits << first & here
