"""Evidence: a claim beside the sentence that says most of it, and what the rest of the context could say instead."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evaluators.lexical.context import Context
from evaluators.lexical.coverage import Coverage
from evaluators.lexical.passage import Passage
from evaluators.lexical.roots import root_of
from evaluators.lexical.weights import FUNCTION_TERMS

_LEAST_SHARED = 2
_RELATED = 0.6
_LOOKED_UP = 8


@dataclass(frozen=True, slots=True)
class Evidence:
    """A claim, its best sentence, how far that covers it, and the context that both are seen in."""

    claim: Passage
    sentence: Passage
    coverage: Coverage
    context: Context

    def says(self, share: float, own: frozenset[str]) -> bool:
        """Whether the sentence says that share of the claim apart from `own`: two content terms of it, or all."""
        here = 1 << self.coverage.sentence
        said = total = 0.0
        shared = content = 0
        for term, weight in self.coverage.weights.items():
            if term in own:
                continue
            total += weight
            if term in FUNCTION_TERMS:
                said += weight * self.coverage.credit[term]
                continue
            content += 1
            if self.context.holding.get(term, 0) & here:
                shared += 1
                said += weight
            elif self.context.akin.get(root_of(term), 0) & here:
                said += weight * _RELATED
        return total > 0 and said >= share * total and shared >= min(_LEAST_SHARED, max(content, 1))

    def rivals(self, own: frozenset[str], numbers: Iterable[int]) -> Iterator[Passage]:
        """At most 8 of the sentences, that say as much of the claim apart from `own`, or what the best one does not.

        A sentence that says a part of what the best one says, and nothing else, is no better source for the claim.
        """
        claimed = [term for term in self.coverage.weights if term not in own and term not in FUNCTION_TERMS]
        held = [self.context.holding.get(term, 0) for term in claimed]
        best = [bits >> self.coverage.sentence & 1 for bits in held]
        found = 0
        for number in numbers:
            said = [bits >> number & 1 for bits in held]
            if said == best or any(one > other for one, other in zip(said, best, strict=True)):
                yield Passage(self.context.text(number), self.context.sentences[number].terms)
                found += 1
            if found >= _LOOKED_UP:
                break

    def others_with(self, figure: frozenset[str]) -> Iterator[int]:
        """The numbers of the sentences beside the best one, and of all others that hold a number of the figure."""
        bits = self.context.neighbours(self.coverage.sentence)
        for term in figure:
            if term[0].isdigit() or not term.isascii():
                bits |= self.context.holding.get(term, 0)
        return self._others(bits)

    def others_naming(self, name: frozenset[str]) -> list[int]:
        """The numbers of the other sentences that hold a term of the name."""
        bits = 0
        for term in name:
            bits |= self.context.holding.get(term, 0)
        return list(self._others(bits))

    def _others(self, bits: int) -> Iterator[int]:
        bits &= ~(1 << self.coverage.sentence)
        while bits:
            low = bits & -bits
            yield low.bit_length() - 1
            bits ^= low
