"""A question, reduced to the terms that say what it is about."""

from collections.abc import Iterable, Set
from dataclasses import dataclass

from evaluators.lexical import tables
from evaluators.lexical.roots import root_of, roots_of
from evaluators.lexical.tokens import LONGEST_WORD, terms
from evaluators.lexical.weights import FUNCTION_TERMS, PRIORS

QUESTION_CHARACTERS = 8_192
_ASKING = frozenset(terms(" ".join(tables.words("asking_words"))))
_RELATED = 0.8
_SHORTEST, _LONGEST = 3, 9
_USUAL_LENGTH = 6


@dataclass(frozen=True, slots=True)
class Question:
    """`weights` are those of the content terms (empty where it asks nothing in particular); `terms` are all of them."""

    terms: frozenset[str]
    weights: dict[str, float]

    def share_in(self, found: Set[str], roots: Set[str]) -> float:
        """Weighted share of the content terms among `found`; related words count somewhat less. 0 where it has none."""
        total = sum(self.weights.values())
        missing = self.weights.keys() - found
        if not total:
            return 0.0
        unsaid = sum(self.weights[t] * (1 - _RELATED if root_of(t) in roots else 1) for t in missing)
        return max(0.0, 1 - unsaid / total)

    def share_of(self, found: Iterable[str]) -> float:
        """The same for terms in any order."""
        said = frozenset(found)
        return self.share_in(said, roots_of(said))


def parse(text: str) -> Question:
    """The first 8 KiB of a question."""
    found = terms(text[:QUESTION_CHARACTERS])
    content = [term for term in dict.fromkeys(found) if _says_something(term)]
    return Question(frozenset(found), {term: PRIORS[term] * _specificity(term) for term in content})


def _says_something(term: str) -> bool:
    """Whether it is a word of some content; what is longer than words are is a key, a hash, a message in disguise."""
    return len(term) <= LONGEST_WORD and term not in FUNCTION_TERMS and term not in _ASKING


def _specificity(term: str) -> float:
    """Longer words are rarer; figures and words of scripts with short words are as they are."""
    if term[0].isdigit() or not term.isascii():
        return 1.0
    return min(max(len(term), _SHORTEST), _LONGEST) / _USUAL_LENGTH
