"""Names: a name of the claim that stands where the sentence has another one."""

from collections.abc import Set

from evaluators.facets import Conflict
from evaluators.lexical.anchors import Place, anchored
from evaluators.lexical.passage import Passage
from evaluators.lexical.tokens import terms
from evaluators.lexical.weights import FUNCTION_TERMS

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


def swapped_name(claim: Passage, sentence: Passage) -> tuple[Conflict, frozenset[str]] | None:
    """The conflict and the claim's terms in it: one name, unknown to the sentence, in the place of another one.

    Only behind a content term: what is said of another subject ("The Basic plan ...") contradicts nothing.
    """
    there, here = set(sentence.terms), set(claim.terms)
    if not _capitalised(claim, here - there) or _capitals_mean_nothing(claim) or _capitals_mean_nothing(sentence):
        return None
    strangers = [run for run in _name_runs(claim) if there.isdisjoint(claim.terms[run[0] : run[1] + 1])]
    if len(strangers) != 1:
        return None
    first, last = strangers[0]
    claimed = claim.terms[first : last + 1]
    for start, stop in _name_runs(sentence):
        found = sentence.terms[start : stop + 1]
        if not here.isdisjoint(found) or _is_abbreviation(sentence, start) or _may_be_the_same(claimed, found):
            continue
        places = Place(claim.terms, first, last), Place(sentence.terms, start, stop)
        if anchored(*places, least=_LEAST_ANCHORS, behind_content=True):
            conflict = Conflict("name", claim.fragment(first, last), sentence.fragment(start, stop))
            return conflict, frozenset(claimed)
    return None


def missing_names(claim: Passage, absent: frozenset[str]) -> int:
    """How many names of the claim the context does not hold in any form."""
    if not _capitalised(claim, absent) or _capitals_mean_nothing(claim):
        return 0
    return sum(absent.issuperset(claim.terms[first : last + 1]) for first, last in _name_runs(claim))


def _capitalised(passage: Passage, wanted: Set[str]) -> bool:
    """Whether one of the wanted terms comes from a word with a capital: a quick look before a close one."""
    if not wanted:
        return False
    return any(not word.islower() and not wanted.isdisjoint(terms(word)) for word in passage.text.split())


def _name_runs(passage: Passage) -> list[tuple[int, int]]:
    """(first, last) of each run of capitalised terms; the first word counts only where more than its place says so."""
    runs: list[tuple[int, int]] = []
    for number, term in enumerate(passage.terms):
        start, _ = passage.spans[number]
        if not passage.text[start].isupper() or term in FUNCTION_TERMS:
            continue
        if runs and runs[-1][1] == number - 1 and _adjoins(passage, number):
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    if runs and runs[0] == (0, 0) and not _has_inner_capital(passage):
        return runs[1:]
    return runs


def _adjoins(passage: Passage, number: int) -> bool:
    """Whether nothing but white space parts a term from the one before."""
    before, here = passage.spans[number - 1], passage.spans[number]
    return before == here or passage.text[before[1] : here[0]].isspace()


def _has_inner_capital(passage: Passage) -> bool:
    start, end = passage.spans[0]
    return any(c.isupper() for c in passage.text[start + 1 : end])


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
