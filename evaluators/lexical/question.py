"""A question, reduced to the terms that say what it is about."""

from collections.abc import Collection
from dataclasses import dataclass

from evaluators.lexical import tables
from evaluators.lexical.context import prefix, prefixes
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

    def share_in(self, found: Collection[str]) -> float:
        """Weighted share of the content terms among `found`; related words count somewhat less. 0 where it has none."""
        total = sum(self.weights.values())
        said = self.weights.keys() & found
        missing = {term: weight for term, weight in self.weights.items() if term not in said}
        if not missing or not total:
            return 1.0 if total else 0.0
        related = frozenset(prefixes(found))
        unsaid = sum(w * (1 - _RELATED) if prefix(t) in related else w for t, w in missing.items())
        return 1 - unsaid / total


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
