"""Conflicts: where a claim and the sentence nearest to it differ. In doubt there is none: a conflict pages people."""

from dataclasses import dataclass, replace
from typing import TypeVar

from evaluators.facets import Conflict
from evaluators.lexical.agreement import agree, comparable, differ_by_unit
from evaluators.lexical.context import Context, prefix
from evaluators.lexical.coverage import Coverage
from evaluators.lexical.dates import Moment, consistent, same_kind, says
from evaluators.lexical.names import swapped_name
from evaluators.lexical.negation import negated_sense
from evaluators.lexical.passage import Passage
from evaluators.lexical.quantities import Quantity
from evaluators.lexical.tokens import terms
from evaluators.lexical.weights import FUNCTION_TERMS

# How much of the claim, apart from what differs, the sentence must say before a difference is a contradiction.
_SAME_SUBJECT = 0.6
_SAME_COUNTED_SUBJECT = 0.7
_SAME_NAMED_SUBJECT = 0.75
_SAME_STATEMENT = 0.85
_LEAST_SHARED = 2
# Below the one no conflict is possible, from the other on none but of sense: most claims are spared the close look.
_ANOTHER_SUBJECT = 0.35
_VERBATIM = 0.9999
_LOOKED_UP = 8
_NEARBY = 4

_Figure = TypeVar("_Figure", Quantity, Moment)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim against its best sentence.

    `said_otherwise` are terms of figures that the sentence writes in another way; `figures_missing` counts those that
    the context does not hold.
    """

    conflict: Conflict | None = None
    said_otherwise: frozenset[str] = frozenset()
    figures_missing: int = 0


def compare(claim: Passage, sentence: Passage, coverage: Coverage, context: Context) -> Comparison:
    """Look for a conflict in figures, dates, names and sense, in this order."""
    value = coverage.value()
    if value < _ANOTHER_SUBJECT:
        return Comparison()
    has_figures = any(term[0].isdigit() for term in claim.terms) or bool(claim.moments or claim.quantities)
    if value >= _VERBATIM and not has_figures:
        return Comparison(_sense(claim, sentence, coverage, context))
    figures = _figures(claim, sentence, coverage, context) if has_figures else Comparison()
    if figures.conflict is not None:
        return figures
    conflict = _names(claim, sentence, coverage, context) or _sense(claim, sentence, coverage, context)
    return replace(figures, conflict=conflict)


def _figures(claim: Passage, sentence: Passage, coverage: Coverage, context: Context) -> Comparison:
    said: set[str] = set()
    missing = 0
    conflict: Conflict | None = None
    for quantity in claim.quantities:
        if any(comparable(quantity, other) and agree(quantity, other) for other in sentence.quantities):
            said.update(terms(quantity.text))
        else:
            missing += not _occurs(quantity.text, context)
            conflict = conflict or _quantity_conflict(quantity, claim, sentence, coverage, context)
    for moment in claim.moments:
        if any(says(other, moment) for other in sentence.moments):
            said.update(terms(moment.text))
        else:
            missing += not _occurs(moment.text, context)
            conflict = conflict or _moment_conflict(moment, claim, sentence, coverage, context)
    return Comparison(conflict, frozenset(said).intersection(coverage.weights), missing)


def _occurs(figure: str, context: Context) -> bool:
    return all(term in context.holding for term in terms(figure) if term[0].isdigit())


def _quantity_conflict(
    quantity: Quantity, claim: Passage, sentence: Passage, coverage: Coverage, context: Context
) -> Conflict | None:
    rivals = [
        other
        for other in sentence.quantities
        if comparable(quantity, other) and not any(comparable(q, other) and agree(q, other) for q in claim.quantities)
    ]
    rival = _counterpart(claim.text, quantity, sentence.text, rivals)
    least = _SAME_COUNTED_SUBJECT if quantity.is_count else _SAME_SUBJECT
    own = frozenset(terms(quantity.text))
    if rival is None or not _same_subject(own, least, coverage, context):
        return None
    if not _adds_nothing(_quantity_elsewhere(quantity, coverage.sentence, context), own, coverage, context):
        return None
    return Conflict("unit" if differ_by_unit(quantity, rival) else "number", quantity.text, rival.text)


def _moment_conflict(
    moment: Moment, claim: Passage, sentence: Passage, coverage: Coverage, context: Context
) -> Conflict | None:
    rivals = [
        other
        for other in sentence.moments
        if same_kind(moment, other) and not consistent(moment, other) and not any(says(other, m) for m in claim.moments)
    ]
    rival = _counterpart(claim.text, moment, sentence.text, rivals)
    own = frozenset(terms(moment.text))
    if rival is None or not _same_subject(own, _SAME_COUNTED_SUBJECT, coverage, context):
        return None
    if not _adds_nothing(_moment_elsewhere(moment, coverage.sentence, context), own, coverage, context):
        return None
    return Conflict("date", moment.text, rival.text)


def _counterpart(claim: str, figure: _Figure, sentence: str, rivals: list[_Figure]) -> _Figure | None:
    """The rival in the figure's place: the only one, or the one whose surroundings agree best."""
    if len(rivals) <= 1:
        return rivals[0] if rivals else None
    before, after = _surroundings(claim, figure.start, figure.end)
    scored = []
    for rival in rivals:
        left, right = _surroundings(sentence, rival.start, rival.end)
        scored.append((len(before & left) + len(after & right), rival))
    scored.sort(key=lambda pair: -pair[0])
    return scored[0][1] if scored[0][0] > scored[1][0] else None


def _surroundings(text: str, start: int, end: int) -> tuple[frozenset[str], frozenset[str]]:
    before = [term for term in terms(text[max(0, start - 60) : start]) if term not in FUNCTION_TERMS][-_NEARBY:]
    after = [term for term in terms(text[end : end + 60]) if term not in FUNCTION_TERMS][:_NEARBY]
    return frozenset(before), frozenset(after)


def _same_subject(own: frozenset[str], least: float, coverage: Coverage, context: Context) -> bool:
    """Whether the best sentence says enough of the claim apart from `own`, with two content terms or all there are."""
    here = 1 << coverage.sentence
    said = total = 0.0
    shared = content = 0
    for term, weight in coverage.weights.items():
        if term in own:
            continue
        holds = context.holding.get(term, 0) & here != 0
        total += weight
        said += weight if holds else 0.6 * weight if context.akin.get(prefix(term), 0) & here else 0.0
        if term not in FUNCTION_TERMS:
            content += 1
            shared += holds
    return total > 0 and said >= least * total and shared >= min(_LEAST_SHARED, max(content, 1))


def _adds_nothing(elsewhere: list[int], own: frozenset[str], coverage: Coverage, context: Context) -> bool:
    """Whether all other sentences with what is claimed say less of the claim, and nothing else of it, than the best."""
    claimed = [term for term in coverage.weights if term not in own and term not in FUNCTION_TERMS]
    best = {term for term in claimed if context.holding.get(term, 0) >> coverage.sentence & 1}
    return all({term for term in claimed if context.holding.get(term, 0) >> number & 1} < best for number in elsewhere)


def _quantity_elsewhere(quantity: Quantity, best: int, context: Context) -> list[int]:
    return [
        number
        for number in _sentences_with(quantity.text, best, context)
        if any(
            comparable(quantity, other) and agree(quantity, other) for other in Passage(context.text(number)).quantities
        )
    ]


def _moment_elsewhere(moment: Moment, best: int, context: Context) -> list[int]:
    return [
        number
        for number in _sentences_with(moment.text, best, context)
        if any(says(other, moment) for other in Passage(context.text(number)).moments)
    ]


def _sentences_with(figure: str, best: int, context: Context) -> list[int]:
    """The neighbours of the best sentence, and the first others that hold a number of the figure."""
    bits = context.neighbours(best)
    for term in terms(figure):
        if term[0].isdigit() or not term.isascii():
            bits |= context.holding.get(term, 0)
    bits &= ~(1 << best)
    found: list[int] = []
    while bits and len(found) < _LOOKED_UP:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found


def _names(claim: Passage, sentence: Passage, coverage: Coverage, context: Context) -> Conflict | None:
    swapped = swapped_name(claim, sentence)
    if swapped is None:
        return None
    conflict, own = swapped
    elsewhere = _holding_all(own, coverage.sentence, context)
    least = _SAME_STATEMENT if elsewhere else _SAME_NAMED_SUBJECT
    if not _same_subject(own, least, coverage, context) or not _adds_nothing(elsewhere, own, coverage, context):
        return None
    return conflict


def _holding_all(own: frozenset[str], best: int, context: Context) -> list[int]:
    bits = 0
    for term in own:
        bits |= context.holding.get(term, 0)
    return [number for number in range(bits.bit_length()) if bits >> number & 1 and number != best][:_LOOKED_UP]


def _sense(claim: Passage, sentence: Passage, coverage: Coverage, context: Context) -> Conflict | None:
    negated = negated_sense(claim, sentence)
    if negated is None or not _same_subject(negated[1], _SAME_STATEMENT, coverage, context):
        return None
    return negated[0]
