"""The context, indexed once per sample: sentences, and for every term the sentences that hold it."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from evaluators.lexical.chunk import parts
from evaluators.lexical.weights import FUNCTION_TERMS, rarity

SENTENCES_AT_MOST = 4_096
_PREFIX = 5
_CACHED_PREFIXES = 60_000
_HANGUL_PREFIX = 2

_rarities = lru_cache(maxsize=256)(rarity)


class Sentence(NamedTuple):
    """One sentence of a chunk: its position there and its terms."""

    chunk: int
    start: int
    end: int
    terms: list[str]


@dataclass(slots=True)
class Context:
    """Sentences of all chunks, numbered through.

    `holding[term]` is the set of sentences with a wanted term, as bits; `akin[prefix]` of those with a related one.
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


class _Prefixes(dict[str, str]):
    """Prefixes of terms, remembered; bounded by starting over."""

    def __missing__(self, term: str) -> str:
        if len(self) >= _CACHED_PREFIXES:
            self.clear()
        found = self[term] = term[: _HANGUL_PREFIX if "가" <= term[0] <= "힣" else _PREFIX]
        return found


_prefixes = _Prefixes()


def prefix(term: str) -> str:
    """What related words of one root mostly share."""
    return _prefixes[term]


def prefixes(terms_: Iterable[str]) -> Iterable[str]:
    """The prefixes of many terms."""
    return map(_prefixes.__getitem__, terms_)


def index(chunks: Sequence[str], wanted: Set[str]) -> Context:
    """Index the `wanted` terms in the first 64 KiB of every chunk, 4096 sentences in all, chunks in their order.

    Function terms are not indexed: they point at nothing.
    """
    content = frozenset(wanted - FUNCTION_TERMS)
    roots = frozenset(prefixes(content))
    sentences: list[Sentence] = []
    holding: dict[str, int] = {}
    akin: dict[str, int] = {}
    chunk_bits = []
    for number, text in enumerate(chunks):
        first = len(sentences)
        for part in parts(text)[: SENTENCES_AT_MOST - first]:
            bit = 1 << len(sentences)
            sentences.append(Sentence(number, *part))
            related = roots.intersection(prefixes(part.terms))
            if related:
                for root in related:
                    akin[root] = akin.get(root, 0) | bit
                for term in content.intersection(part.terms):
                    holding[term] = holding.get(term, 0) | bit
        chunk_bits.append((1 << len(sentences)) - (1 << first))
    return Context(tuple(chunks), sentences, holding, akin, chunk_bits, _rarities(len(sentences)))
