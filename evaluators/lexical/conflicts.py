"""Conflicts: where a claim and the sentence nearest to it differ. In doubt there is none: a conflict pages people."""

from dataclasses import dataclass

from evaluators.facets import Conflict
from evaluators.lexical.evidence import Evidence
from evaluators.lexical.figures import Figures, compare_figures, has_figures
from evaluators.lexical.names import Swap, swapped_names
from evaluators.lexical.negation import negated_sense

# How much of the claim, apart from what differs, the sentence must say before another name, or the opposite sense, is a
# contradiction; more of it where the name stands elsewhere in the context.
_SAME_NAMED_SUBJECT = 0.75
_SAME_STATEMENT = 0.85
# Below the one no conflict is possible, from the other on none but of sense: most claims are spared the close look.
_ANOTHER_SUBJECT = 0.35
_VERBATIM = 0.9999
# From here on a claim repeats its sentence, and what it has in the place of something else replaces it.
_NEARLY_VERBATIM = 0.8


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim against its best sentence.

    `said_otherwise` are terms of figures that the sentence writes in another way. `replaced` says that it has another
    figure or name where the claim has its own, `figures_missing` that the context holds one of its figures nowhere.
    """

    conflict: Conflict | None = None
    said_otherwise: frozenset[str] = frozenset()
    replaced: bool = False
    figures_missing: bool = False


def compare(evidence: Evidence) -> Comparison:
    """Look for a conflict in figures, names and sense, in this order."""
    value = evidence.coverage.value()
    if value < _ANOTHER_SUBJECT:
        return Comparison()
    figures = compare_figures(evidence) if has_figures(evidence.claim) else Figures()
    if value >= _VERBATIM:
        return Comparison(figures.conflict or _sense_conflict(evidence), figures.said)
    swaps = swapped_names(evidence.claim, evidence.sentence)
    close = value >= _NEARLY_VERBATIM
    has_other_figure = figures.rivalled and (close or figures.missing)
    has_other_name = bool(swaps) and (close or any(swap.telling for swap in swaps))
    return Comparison(
        conflict=figures.conflict or _name_conflict(swaps, evidence) or _sense_conflict(evidence),
        said_otherwise=figures.said,
        replaced=has_other_figure or has_other_name,
        figures_missing=figures.missing,
    )


def _name_conflict(swaps: list[Swap], evidence: Evidence) -> Conflict | None:
    if len(swaps) != 1 or not swaps[0].telling:
        return None
    own = swaps[0].own
    elsewhere = evidence.others_naming(own)
    if not evidence.says(_SAME_STATEMENT if elsewhere else _SAME_NAMED_SUBJECT, own):
        return None
    if any(evidence.rivals(own, elsewhere)):
        return None
    return Conflict("name", swaps[0].claimed, swaps[0].found)


def _sense_conflict(evidence: Evidence) -> Conflict | None:
    negated = negated_sense(evidence.claim, evidence.sentence)
    if negated is None or not evidence.says(_SAME_STATEMENT, negated[1]):
        return None
    return negated[0]
