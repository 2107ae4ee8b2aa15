"""The context, indexed once per sample: sentences, and for every term the sentences that hold it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from evaluators.lexical.sentences import sentence_spans
from evaluators.lexical.tokens import terms
from evaluators.lexical.weights import rarity

CHUNK_CHARACTERS = 65_536
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


def index(chunks: Sequence[str], wanted: frozenset[str]) -> Context:
    """Index the `wanted` terms in the first 64 KiB of every chunk, 4096 sentences in all, chunks in their order."""
    prefixes = frozenset(map(_prefixes.__getitem__, wanted))
    sentences: list[Sentence] = []
    holding: dict[str, int] = {}
    akin: dict[str, int] = {}
    chunk_bits = []
    for number, text in enumerate(chunks):
        first = len(sentences)
        for start, end in sentence_spans(text[:CHUNK_CHARACTERS]):
            if len(sentences) >= SENTENCES_AT_MOST:
                break
            found = terms(text[start:end])
            if not found:
                continue
            bit = 1 << len(sentences)
            sentences.append(Sentence(number, start, end, found))
            for term in wanted.intersection(found):
                holding[term] = holding.get(term, 0) | bit
            for key in prefixes.intersection(map(_prefixes.__getitem__, found)):
                akin[key] = akin.get(key, 0) | bit
        chunk_bits.append((1 << len(sentences)) - (1 << first))
    return Context(tuple(chunks), sentences, holding, akin, chunk_bits, _rarities(len(sentences)))
