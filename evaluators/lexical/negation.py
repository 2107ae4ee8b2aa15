"""Negation: the same statement with the opposite sense, by a negating word or by an antonym."""

import re
from collections.abc import Set

from evaluators.facets import Conflict
from evaluators.lexical import tables
from evaluators.lexical.anchors import Place, anchored
from evaluators.lexical.passage import Passage
from evaluators.lexical.scripts import HAS_UNSPACED
from evaluators.lexical.tokens import terms
from evaluators.lexical.weights import FUNCTION_TERMS

# Negating words as terms. `after` negates what follows, `around` what stands on either side.
_NEGATIONS = tables.entries("negations")
_AFTER = frozenset(_NEGATIONS["after"])
_AROUND = frozenset(_NEGATIONS["around"])
_CUES = _AFTER | _AROUND
# `not only`, `no later than`, `no doubt`: the cue says something else.
_HARMLESS_NEXT = frozenset(terms(" ".join(tables.words("harmless_after_not"))))
_EXCEPTIVE = frozenset(terms("unless except until otherwise instead rather than only"))
_SCOPE = 4
_KOREAN_NEGATION = re.compile("않|없|못하|못했|아니|아닌|아닙")
_KOREAN_NEGATION_WORD = frozenset({"안", "못"})

_OPPOSITES: dict[str, set[str]] = {}
for _pair in tables.lines("antonyms"):
    _one, _other = (terms(word)[0] for word in _pair.split())
    if _one != _other:
        _OPPOSITES.setdefault(_one, set()).add(_other)
        _OPPOSITES.setdefault(_other, set()).add(_one)
_NEGATING_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis")
_LEAST_ROOT = 4

_UNSPACED_CUE = tables.pattern("unspaced_negations")
_UNSPACED_OPPOSITES = tuple(tuple(line.split()) for line in tables.lines("unspaced_opposites"))
_UNSPACED_CLAUSE = re.compile("[，,。；;！!？?、：:]")
_SAME_CLAUSE = 0.8


def negated_sense(claim: Passage, sentence: Passage) -> tuple[Conflict, frozenset[str]] | None:
    """The conflict and the claim's terms in it: exactly one of the two is negated, or has the opposite word."""
    if sentence.text.rstrip().endswith(("?", "？")) or _excepts(claim) is not _excepts(sentence):
        return None
    if HAS_UNSPACED.search(claim.text):
        return _unspaced(claim, sentence)
    there, here = frozenset(sentence.terms), frozenset(claim.terms)
    in_claim, in_sentence = _negated(claim), _negated(sentence)
    opposite = None if here <= there else _opposite(claim, sentence, in_claim.keys(), in_sentence.keys())
    differing = {term for term in in_claim.keys() ^ in_sentence.keys() if term in here and term in there}
    if any(in_sentence.get(term) is None and term in in_sentence for term in differing):
        return None
    if opposite is not None and not differing:
        return opposite
    # All that differs must hang on one negation: two may say the same in other words.
    if opposite is not None or len({in_claim.get(term, in_sentence.get(term)) for term in differing}) != 1:
        return None
    term = min(differing, key=claim.terms.index)
    conflict = Conflict("negation", _around(claim, term, in_claim), _around(sentence, term, in_sentence))
    return conflict, _CUES.intersection(claim.terms)


def _excepts(passage: Passage) -> bool:
    """Whether it speaks of an exception, beside which a negation may well be right."""
    return not _EXCEPTIVE.isdisjoint(passage.terms)


def _negated(passage: Passage) -> dict[str, int | None]:
    """Terms under a negation with the number of its cue; None where the same term also stands without one."""
    found: dict[str, int | None] = {}
    if _CUES.isdisjoint(passage.terms) and _KOREAN_NEGATION.search(passage.text) is None:
        return found
    covered: set[int] = set()
    for number, term in enumerate(passage.terms):
        for place in _scope(passage.terms, number, term):
            found.setdefault(passage.terms[place], number)
            covered.add(place)
    for number, term in enumerate(passage.terms):
        if term in found and number not in covered:
            found[term] = None
    return found


def _scope(words: list[str], number: int, term: str) -> list[int]:
    """The places of the content terms that a cue at `number` negates; empty where it is no cue."""
    if "가" <= term[0] <= "힣":
        return _korean_scope(words, number, term)
    if term not in _CUES or (number + 1 < len(words) and words[number + 1] in _HARMLESS_NEXT):
        return []
    ahead = next((n for n in range(number + 1, min(number + 1 + _SCOPE, len(words))) if _is_content(words[n])), None)
    places = [] if ahead is None else [ahead]
    if term in _AROUND:
        places += [n for n in range(max(0, number - 2), number) if _is_content(words[n])]
    return places


def _korean_scope(words: list[str], number: int, term: str) -> list[int]:
    if term in _KOREAN_NEGATION_WORD:
        return [number + 1] if number + 1 < len(words) else []
    if _KOREAN_NEGATION.search(term) is None:
        return []
    return [number - 1] if number else []


def _is_content(term: str) -> bool:
    return term not in FUNCTION_TERMS and term not in _CUES


def _opposite(
    claim: Passage, sentence: Passage, negated_here: Set[str], negated_there: Set[str]
) -> tuple[Conflict, frozenset[str]] | None:
    """A word in the place of its opposite, unless one of the two is negated: `not allowed` is `prohibited`."""
    there, here = set(sentence.terms), set(claim.terms)
    for number, term in enumerate(claim.terms):
        if term in there or (term in FUNCTION_TERMS and term not in _OPPOSITES):
            continue
        for other in (_OPPOSITES.get(term, frozenset()) | _negated_forms(term)) & (there - here):
            place = sentence.terms.index(other)
            if (term in negated_here) == (other in negated_there) and anchored(
                Place(claim.terms, number, number), Place(sentence.terms, place, place), least=2
            ):
                conflict = Conflict("negation", claim.fragment(number, number), sentence.fragment(place, place))
                return conflict, frozenset({term})
    return None


def _negated_forms(term: str) -> set[str]:
    """`refund` for `nonrefund` and the reverse."""
    if len(term) < _LEAST_ROOT:
        return set()
    cut = {term[len(prefix) :] for prefix in _NEGATING_PREFIXES if term.startswith(prefix)}
    return {prefix + term for prefix in _NEGATING_PREFIXES} | {root for root in cut if len(root) >= _LEAST_ROOT}


def _around(passage: Passage, term: str, negated: dict[str, int | None]) -> str:
    place = passage.terms.index(term)
    cue = negated.get(term)
    if cue is None:
        return passage.fragment(max(0, place - 1), place)
    return passage.fragment(min(cue, place), max(cue, place))


def _unspaced(claim: Passage, sentence: Passage) -> tuple[Conflict, frozenset[str]] | None:
    """Compare with the clause that says most of the claim, by the parity of negations and opposites."""
    wanted = set(claim.terms)
    clause = max(_UNSPACED_CLAUSE.split(sentence.text), key=lambda part: len(wanted.intersection(terms(part))))
    held = len(wanted.intersection(terms(clause)))
    here, there = _UNSPACED_CUE.findall(claim.text), _UNSPACED_CUE.findall(clause)
    for one, other in _UNSPACED_OPPOSITES:
        for mine, yours in ((one, other), (other, one)):
            if (
                mine in claim.text
                and yours in clause
                and yours not in claim.text
                and mine not in clause
                and held + 3 >= _SAME_CLAUSE * len(wanted)
            ):
                return Conflict("negation", mine, yours), frozenset(t for t in wanted if set(t) & set(mine))
    if len(here) % 2 == len(there) % 2 or abs(len(here) - len(there)) != 1:
        return None
    # A cue takes part in two or three character pairs, which cannot match.
    if held + 3 < len(wanted) * _SAME_CLAUSE + 3 * (len(here) == 0):
        return None
    cue = set("".join(here))
    return Conflict("negation", claim.text.strip(), clause.strip()), frozenset(t for t in wanted if set(t) & cue)
