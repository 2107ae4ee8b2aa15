"""Figures: the quantities and dates of a claim against those of its best sentence."""

import re
from dataclasses import dataclass
from typing import TypeVar

from evaluators.facets import Conflict
from evaluators.lexical.agreement import agree, comparable, differ_by_unit
from evaluators.lexical.context import Context
from evaluators.lexical.dates import Moment, consistent, same_kind, says
from evaluators.lexical.evidence import Evidence
from evaluators.lexical.passage import Passage
from evaluators.lexical.quantities import Quantity
from evaluators.lexical.scripts import fold
from evaluators.lexical.tokens import terms
from evaluators.lexical.weights import FUNCTION_TERMS

# How much of the claim, apart from the figure, the sentence must say before another figure contradicts it. A unit or a
# currency says by itself that the same thing is meant.
_SAME_SUBJECT = 0.6
_SAME_COUNTED_SUBJECT = 0.7
_NEARBY, _NEARBY_WITHIN = 4, 60

_WORD = re.compile(r"[^\W\d_]+")

_Figure = TypeVar("_Figure", Quantity, Moment)


@dataclass(frozen=True, slots=True)
class Figures:
    """How the figures of a claim stand.

    `said` are terms of those that the sentence has, in this or another spelling. `rivalled` says that it has another
    figure in the place of one, `missing` that the context holds one nowhere.
    """

    conflict: Conflict | None = None
    said: frozenset[str] = frozenset()
    rivalled: bool = False
    missing: bool = False


def has_figures(claim: Passage) -> bool:
    """Whether there is anything to compare."""
    return any(term[0].isdigit() for term in claim.terms) or bool(claim.moments or claim.quantities)


def compare_figures(evidence: Evidence) -> Figures:
    """All figures of the claim; the first conflict counts."""
    claim, sentence = evidence.claim, evidence.sentence
    said: set[str] = set()
    conflict: Conflict | None = None
    missing = rivalled = False
    for quantity in claim.quantities:
        rivals = _rival_quantities(quantity, claim, sentence)
        if not rivals and any(_may_be(quantity, other) for other in sentence.quantities):
            said.update(terms(quantity.text))
            continue
        conflict = conflict or _quantity_conflict(quantity, rivals, evidence)
        missing, rivalled = missing or not _occurs(quantity.text, evidence.context), rivalled or bool(rivals)
    for moment in claim.moments:
        if any(says(other, moment) for other in sentence.moments):
            said.update(terms(moment.text))
            continue
        others = _rival_moments(moment, claim, sentence)
        conflict = conflict or _moment_conflict(moment, others, evidence)
        missing, rivalled = missing or not _occurs(moment.text, evidence.context), rivalled or bool(others)
    return Figures(conflict, frozenset(said).intersection(evidence.coverage.weights), rivalled, missing)


def _may_be(claimed: Quantity, found: Quantity) -> bool:
    return comparable(claimed, found) and agree(claimed, found)


def _occurs(figure: str, context: Context) -> bool:
    return all(term in context.holding for term in terms(figure) if term[0].isdigit())


def _rival_quantities(quantity: Quantity, claim: Passage, sentence: Passage) -> list[Quantity]:
    """The sentence's quantities in the place of this one; where it has this one, only what fits better there."""
    agreeing = [other for other in sentence.quantities if _may_be(quantity, other)]
    rivals = [
        other
        for other in sentence.quantities
        if comparable(quantity, other) and not any(_may_be(one, other) for one in claim.quantities)
    ]
    return [rival for rival in rivals if all(_fits_better(quantity, rival, other) for other in agreeing)]


def _fits_better(quantity: Quantity, one: Quantity, other: Quantity) -> bool:
    """Whether `one` has more of the nouns that follow the quantity, and all of the words before it that `other` has.

    `48 hours of playback` against `12 hours of playback and 48 hours of standby`: the same figure, of something else.
    """
    after, before = quantity.nouns & one.nouns, quantity.before & one.before
    return after > quantity.nouns & other.nouns and before >= quantity.before & other.before


def _rival_moments(moment: Moment, claim: Passage, sentence: Passage) -> list[Moment]:
    return [
        other
        for other in sentence.moments
        if same_kind(moment, other) and not consistent(moment, other) and not any(says(other, m) for m in claim.moments)
    ]


def _quantity_conflict(quantity: Quantity, rivals: list[Quantity], evidence: Evidence) -> Conflict | None:
    rival = _counterpart(quantity, rivals, evidence)
    own = frozenset(terms(quantity.text))
    if rival is None or not evidence.says(_SAME_COUNTED_SUBJECT if quantity.is_count else _SAME_SUBJECT, own):
        return None
    elsewhere = evidence.rivals(own, evidence.others_with(own))
    if any(_may_be(quantity, other) for passage in elsewhere for other in passage.quantities):
        return None
    return Conflict("unit" if differ_by_unit(quantity, rival) else "number", quantity.text, rival.text)


def _moment_conflict(moment: Moment, rivals: list[Moment], evidence: Evidence) -> Conflict | None:
    rival = _counterpart(moment, rivals, evidence)
    own = frozenset(terms(moment.text))
    if rival is None or not evidence.says(_SAME_COUNTED_SUBJECT, own):
        return None
    elsewhere = evidence.rivals(own, evidence.others_with(own))
    if any(says(other, moment) for passage in elsewhere for other in passage.moments):
        return None
    return Conflict("date", moment.text, rival.text)


def _counterpart(figure: _Figure, rivals: list[_Figure], evidence: Evidence) -> _Figure | None:
    """The rival in the figure's place; None in doubt.

    It is the only one, or the one whose surroundings agree best, or of those the one that belongs to the same word.
    """
    if len(rivals) <= 1:
        return rivals[0] if rivals else None
    before, after = _surroundings(evidence.claim.text, figure)
    scored = []
    for rival in rivals:
        left, right = _surroundings(evidence.sentence.text, rival)
        scored.append((len(before & left) + len(after & right), rival))
    highest = max(score for score, _ in scored)
    best = [rival for score, rival in scored if score == highest]
    return best[0] if len(best) == 1 else _of_the_same_word(figure, rivals, best, evidence)


def _of_the_same_word(
    figure: _Figure, rivals: list[_Figure], best: list[_Figure], evidence: Evidence
) -> _Figure | None:
    """The one of the `best` that stands behind the figure's own word, where each other rival has another word.

    `opens at 9:00` against `opens at 7:00 and closes at 22:00`, but not `open at 9:00` against `open from 7:00 to
    22:00`. Words are compared as they are spelt: what `opens` at 7:00 may be `open` at 9:00. What follows the figure,
    such as a day, must follow the rival too.
    """
    claim, sentence = evidence.claim.text, evidence.sentence.text
    own, word, start = _word_before(claim, 0, figure.start), "", 0
    same = []
    for rival in rivals:
        word = _word_before(sentence, start, rival.start) or word
        start = rival.end
        if word == own:
            same.append(rival)
    if not own or len(same) != 1 or same[0] not in best:
        return None
    end = min((rival.start for rival in rivals if rival.start > same[0].start), default=len(sentence))
    _, after = _surroundings(claim, figure)
    return same[0] if after <= set(terms(sentence[same[0].end : end])) else None


def _word_before(text: str, start: int, end: int) -> str:
    """The last content word of text[start:end], folded; empty where it has none."""
    words = _WORD.findall(fold(text[max(start, end - _NEARBY_WITHIN) : end]))
    return next((word for word in reversed(words) if not FUNCTION_TERMS.issuperset(terms(word))), "")


def _surroundings(text: str, figure: Quantity | Moment) -> tuple[frozenset[str], frozenset[str]]:
    before = terms(text[max(0, figure.start - _NEARBY_WITHIN) : figure.start])
    after = terms(text[figure.end : figure.end + _NEARBY_WITHIN])
    return (
        frozenset([term for term in before if term not in FUNCTION_TERMS][-_NEARBY:]),
        frozenset([term for term in after if term not in FUNCTION_TERMS][:_NEARBY]),
    )
