"""Anchors: whether a place in one term list has the same surroundings as a place in another."""

from typing import NamedTuple

from evaluators.lexical import tables
from evaluators.lexical.weights import FUNCTION_TERMS

_REACH = 3
_ARTICLES = frozenset(tables.words("articles"))
# A list goes on with any member: what differs behind these words does not contradict.
_LISTING = frozenset({"includ", "include", "such", "like", "among", "and", "or", "eg", "exampl"})


class Place(NamedTuple):
    """The terms from number `first` to `last` of a list."""

    terms: list[str]
    first: int
    last: int

    @property
    def before(self) -> list[str]:
        """The nearest terms before it, nearest first, without articles."""
        near = [term for term in self.terms[max(0, self.first - 2 * _REACH) : self.first] if term not in _ARTICLES]
        return near[: -_REACH - 1 : -1]

    @property
    def after(self) -> list[str]:
        """The nearest terms after it, without articles."""
        near = self.terms[self.last + 1 : self.last + 1 + 2 * _REACH]
        return [term for term in near if term not in _ARTICLES][:_REACH]


def anchored(one: Place, other: Place, *, least: int, behind_content: bool = False) -> bool:
    """Whether two places stand between the same terms.

    At least `least` adjacent terms must agree on both sides together, one of them a content term (one before the
    place with `behind_content`); an edge that both have counts as one.
    """
    left, right = _agreeing(one.before, other.before), _agreeing(one.after, other.after)
    if not _LISTING.isdisjoint(left[:2]):
        return False
    edges = (not one.before and not other.before) + (not one.after and not other.after)
    telling = left if behind_content else [*left, *right]
    return len(left) + len(right) + edges >= least and any(term not in FUNCTION_TERMS for term in telling)


def _agreeing(one: list[str], other: list[str]) -> list[str]:
    agreeing = []
    for term, counterpart in zip(one, other, strict=False):
        if term != counterpart:
            break
        agreeing.append(term)
    return agreeing
