"""Conflicts: where a claim and the sentence nearest to it differ. In doubt there is none: a conflict pages people."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TypeVar

from evaluators.facets import Conflict
from evaluators.lexical.agreement import agree, comparable, differ_by_unit
from evaluators.lexical.context import Context, prefix
from evaluators.lexical.coverage import Coverage
from evaluators.lexical.dates import Moment, consistent, same_kind, says
from evaluators.lexical.names import Swap, swapped_names
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
# From here on a claim repeats its sentence, and what it has in the place of something else replaces it.
_NEARLY_VERBATIM = 0.8
_LOOKED_UP = 8
_NEARBY = 4
_RELATED = 0.6

_Figure = TypeVar("_Figure", Quantity, Moment)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim against its best sentence.

    `said_otherwise` are terms of figures that the sentence writes in another way. `replaced` says that it has another
    figure or name where the claim has its own, and `figures_missing` that the context holds none of them.
    """

    conflict: Conflict | None = None
    said_otherwise: frozenset[str] = frozenset()
    replaced: bool = False
    figures_missing: bool = False


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
    swaps = swapped_names(claim, sentence)
    conflict = _name_conflict(swaps, coverage, context) or _sense(claim, sentence, coverage, context)
    close = value >= _NEARLY_VERBATIM
    has_other_figure = figures.replaced and (close or figures.figures_missing)
    has_other_name = bool(swaps) and (close or any(swap.telling for swap in swaps))
    return replace(figures, conflict=conflict, replaced=has_other_figure or has_other_name)


def _figures(claim: Passage, sentence: Passage, coverage: Coverage, context: Context) -> Comparison:
    said: set[str] = set()
    missing, rivalled = False, False
    conflict: Conflict | None = None
    for quantity in claim.quantities:
        agreeing = [other for other in sentence.quantities if comparable(quantity, other) and agree(quantity, other)]
        rivals = _rival_quantities(quantity, claim, sentence)
        if agreeing:
            rivals = [rival for rival in rivals if all(_fits_better(quantity, rival, other) for other in agreeing)]
        if agreeing and not rivals:
            said.update(terms(quantity.text))
            continue
        missing, rivalled = missing or not _occurs(quantity.text, context), rivalled or bool(rivals)
        conflict = conflict or _quantity_conflict(quantity, rivals, claim, sentence, coverage, context)
    for moment in claim.moments:
        if any(says(other, moment) for other in sentence.moments):
            said.update(terms(moment.text))
            continue
        dates = _rival_moments(moment, claim, sentence)
        missing, rivalled = missing or not _occurs(moment.text, context), rivalled or bool(dates)
        conflict = conflict or _moment_conflict(moment, dates, claim, sentence, coverage, context)
    return Comparison(conflict, frozenset(said).intersection(coverage.weights), rivalled, missing)


def _occurs(figure: str, context: Context) -> bool:
    return all(term in context.holding for term in terms(figure) if term[0].isdigit())


def _rival_quantities(quantity: Quantity, claim: Passage, sentence: Passage) -> list[Quantity]:
    """The sentence's quantities that could stand for this one and are not another one's of the claim."""
    return [
        other
        for other in sentence.quantities
        if comparable(quantity, other) and not any(comparable(q, other) and agree(q, other) for q in claim.quantities)
    ]


def _fits_better(quantity: Quantity, one: Quantity, other: Quantity) -> bool:
    """Whether `one` has more of the nouns that follow the quantity, and all of its neighbours that `other` has.

    `20 sick days` beside `20 vacation days and 10 sick days`: the same figure, of something else.
    """
    after, before = quantity.nouns & one.nouns, quantity.before & one.before
    other_after, other_before = quantity.nouns & other.nouns, quantity.before & other.before
    return after > other_after and before >= other_before


def _rival_moments(moment: Moment, claim: Passage, sentence: Passage) -> list[Moment]:
    return [
        other
        for other in sentence.moments
        if same_kind(moment, other) and not consistent(moment, other) and not any(says(other, m) for m in claim.moments)
    ]


def _quantity_conflict(
    quantity: Quantity,
    rivals: list[Quantity],
    claim: Passage,
    sentence: Passage,
    coverage: Coverage,
    context: Context,
) -> Conflict | None:
    rival = _counterpart(claim.text, quantity, sentence.text, rivals)
    least = _SAME_COUNTED_SUBJECT if quantity.is_count else _SAME_SUBJECT
    own = frozenset(terms(quantity.text))
    if rival is None or not _same_subject(own, least, coverage, context):
        return None
    if _quantity_elsewhere(quantity, own, coverage, context):
        return None
    return Conflict("unit" if differ_by_unit(quantity, rival) else "number", quantity.text, rival.text)


def _moment_conflict(
    moment: Moment, rivals: list[Moment], claim: Passage, sentence: Passage, coverage: Coverage, context: Context
) -> Conflict | None:
    rival = _counterpart(claim.text, moment, sentence.text, rivals)
    own = frozenset(terms(moment.text))
    if rival is None or not _same_subject(own, _SAME_COUNTED_SUBJECT, coverage, context):
        return None
    if _moment_elsewhere(moment, own, coverage, context):
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
        total += weight
        if term in FUNCTION_TERMS:
            said += weight * coverage.credit[term]
            continue
        content += 1
        if context.holding.get(term, 0) & here:
            shared += 1
            said += weight
        elif context.akin.get(prefix(term), 0) & here:
            said += weight * _RELATED
    return total > 0 and said >= least * total and shared >= min(_LEAST_SHARED, max(content, 1))


def _rivals_elsewhere(own: frozenset[str], numbers: Iterable[int], coverage: Coverage, context: Context) -> list[int]:
    """Those of the sentences that say something of the claim which the best sentence does not say, or as much."""
    claimed = [term for term in coverage.weights if term not in own and term not in FUNCTION_TERMS]
    held = [context.holding.get(term, 0) for term in claimed]
    best = [bits >> coverage.sentence & 1 for bits in held]
    rivals = []
    for number in numbers:
        said = [bits >> number & 1 for bits in held]
        if said == best or any(one > other for one, other in zip(said, best, strict=True)):
            rivals.append(number)
    return rivals[:_LOOKED_UP]


def _quantity_elsewhere(quantity: Quantity, own: frozenset[str], coverage: Coverage, context: Context) -> bool:
    """Whether the claimed quantity stands in a sentence that may be the claim's true source."""
    return any(
        comparable(quantity, other) and agree(quantity, other)
        for number in _rivals_elsewhere(own, _sentences_with(own, coverage.sentence, context), coverage, context)
        for other in Passage(context.text(number), context.sentences[number].terms).quantities
    )


def _moment_elsewhere(moment: Moment, own: frozenset[str], coverage: Coverage, context: Context) -> bool:
    return any(
        says(other, moment)
        for number in _rivals_elsewhere(own, _sentences_with(own, coverage.sentence, context), coverage, context)
        for other in Passage(context.text(number), context.sentences[number].terms).moments
    )


def _sentences_with(figure: frozenset[str], best: int, context: Context) -> Iterator[int]:
    """The sentences beside the best one, and all that hold a number of the figure."""
    bits = context.neighbours(best)
    for term in figure:
        if term[0].isdigit() or not term.isascii():
            bits |= context.holding.get(term, 0)
    return _numbers(bits & ~(1 << best))


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _name_conflict(swaps: list[Swap], coverage: Coverage, context: Context) -> Conflict | None:
    if len(swaps) != 1 or not swaps[0].telling:
        return None
    own = swaps[0].own
    bits = reduce(or_, (context.holding.get(term, 0) for term in own), 0) & ~(1 << coverage.sentence)
    if not _same_subject(own, _SAME_STATEMENT if bits else _SAME_NAMED_SUBJECT, coverage, context):
        return None
    if _rivals_elsewhere(own, _numbers(bits), coverage, context):
        return None
    return Conflict("name", swaps[0].claimed, swaps[0].found)


def _sense(claim: Passage, sentence: Passage, coverage: Coverage, context: Context) -> Conflict | None:
    negated = negated_sense(claim, sentence)
    if negated is None or not _same_subject(negated[1], _SAME_STATEMENT, coverage, context):
        return None
    return negated[0]
