"""Names: a name of the claim that stands where the sentence has another one."""

from collections.abc import Set
from dataclasses import dataclass

from evaluators.lexical.anchors import Place, anchored
from evaluators.lexical.passage import Passage
from evaluators.lexical.tokens import terms

_GERMAN = frozenset({"der", "die", "das", "und", "ist", "nicht", "ein", "eine", "wird", "mit", "für", "den"})
_GERMAN_FROM = 2
_TITLE_FROM = 4
_TITLE_CASE = 0.6
_SAME_BEGINNING = 3
_LEAST_ANCHORS = 3
_ALIASES = (
    frozenset({"us", "usa", "america", "american", "unit"}),
    frozenset({"uk", "britain", "british", "england", "english"}),
    frozenset({"eu", "europ", "european"}),
    frozenset({"holland", "netherland", "dutch"}),
    frozenset({"ussr", "soviet", "russia", "russian"}),
)


@dataclass(frozen=True, slots=True)
class Swap:
    """A name of the claim, unknown to the sentence, which has another one instead; `own` are the claim's terms.

    `telling` where both stand in the same place, behind a content term: what is said of another subject ("The Basic
    plan ...") may be true beside it.
    """

    claimed: str
    found: str
    own: frozenset[str]
    telling: bool


def swapped_names(claim: Passage, sentence: Passage) -> list[Swap]:
    """The names of the claim that the sentence does not know, where it has others that the claim does not know."""
    there, here = set(sentence.terms), set(claim.terms)
    if not _capitalised(claim, here - there) or _capitals_mean_nothing(claim) or _capitals_mean_nothing(sentence):
        return []
    strangers = [run for run in claim.name_runs if there.isdisjoint(claim.terms[run[0] : run[1] + 1])]
    rivals = [run for run in sentence.name_runs if here.isdisjoint(sentence.terms[run[0] : run[1] + 1])]
    rivals = [run for run in rivals if not _is_abbreviation(sentence, run[0])]
    swaps = [_swap(claim, run, sentence, rivals) for run in strangers] if rivals else []
    return [swap for swap in swaps if swap is not None]


def _swap(claim: Passage, run: tuple[int, int], sentence: Passage, rivals: list[tuple[int, int]]) -> Swap | None:
    """The rival in the name's place, or else any that cannot be the same."""
    place, own = Place(claim.terms, *run), claim.terms[run[0] : run[1] + 1]
    others = [r for r in rivals if not _may_be_the_same(own, sentence.terms[r[0] : r[1] + 1])]
    if not others:
        return None
    telling = (
        rival
        for rival in others
        if anchored(place, Place(sentence.terms, *rival), least=_LEAST_ANCHORS, behind_content=True)
    )
    found = next(telling, None)
    return Swap(claim.fragment(*run), sentence.fragment(*(found or others[0])), frozenset(own), found is not None)


def missing_names(claim: Passage, absent: frozenset[str]) -> int:
    """How many names of the claim the context does not hold in any form."""
    if not _capitalised(claim, absent) or _capitals_mean_nothing(claim):
        return 0
    return sum(absent.issuperset(claim.terms[first : last + 1]) for first, last in claim.name_runs)


def _capitalised(passage: Passage, wanted: Set[str]) -> bool:
    """Whether one of the wanted terms comes from a word with a capital: a quick look before a close one."""
    if not wanted:
        return False
    return any(not word.islower() and not wanted.isdisjoint(terms(word)) for word in passage.text.split())


def _capitals_mean_nothing(passage: Passage) -> bool:
    """In German every noun has one, in headings every word."""
    words = passage.text.split()
    if len(_GERMAN.intersection(words)) >= _GERMAN_FROM:
        return True
    letters = [word for word in words if word[0].isalpha()]
    capitals = sum(word[0].isupper() for word in letters)
    return len(letters) >= _TITLE_FROM and capitals >= _TITLE_CASE * len(letters)


def _is_abbreviation(passage: Passage, start: int) -> bool:
    """`Court of Appeals (CA)`: another name of what stands before it."""
    return passage.text[: passage.spans[start][0]].rstrip().endswith("(")


def _may_be_the_same(claimed: list[str], found: list[str]) -> bool:
    """An acronym, a nationality for a country, another spelling, a well-known alias."""
    if _initials(claimed) in found or _initials(found) in claimed:
        return True
    if any(not alias.isdisjoint(claimed) and not alias.isdisjoint(found) for alias in _ALIASES):
        return True
    return any(one[:_SAME_BEGINNING] == other[:_SAME_BEGINNING] for one in claimed for other in found)


def _initials(run: list[str]) -> str:
    return "".join(term[0] for term in run) if len(run) > 1 else ""
