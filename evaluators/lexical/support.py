"""Support: what the context says about each claim of an answer."""

from evaluators.facets import ClaimVerdict, Support
from evaluators.lexical.conflicts import Comparison, compare
from evaluators.lexical.context import Context
from evaluators.lexical.coverage import Coverage, cover
from evaluators.lexical.names import missing_names
from evaluators.lexical.passage import Passage
from evaluators.lexical.weights import FUNCTION_TERMS

SUPPORTED_FROM = 0.65
"""Strength from which a claim counts as supported; fixed once for all languages and kinds of text."""

# What remains of the strength of a claim with a figure or a name of its own, about its speaker, or contradicted.
_FIGURE_MISSING = 0.8
_NAME_MISSING = 0.8
_FIRST_PERSON = 0.8
_CONTRADICTED = 0.3
_SPEAKER = frozenset({"i", "my", "me", "mine"})


def verdict(claim: str, question: frozenset[str], context: Context) -> ClaimVerdict | None:
    """The verdict on one claim; None where it has no content term and so claims nothing."""
    passage = Passage(claim)
    if all(term in FUNCTION_TERMS for term in passage.terms):
        return None
    coverage = cover(passage.terms, question, context)
    if coverage is None:
        return ClaimVerdict(claim, Support.NOT_IN_CONTEXT)
    sentence = context.sentences[coverage.sentence]
    nearest = Passage(context.text(coverage.sentence), sentence.terms)
    comparison = compare(passage, nearest, coverage, context)
    strength = _strength(passage, coverage, context, comparison)
    if comparison.conflict is not None:
        return ClaimVerdict(
            claim,
            Support.CONTRADICTED,
            sentence.chunk,
            nearest.text,
            round(strength * _CONTRADICTED, 4),
            comparison.conflict,
        )
    support = Support.SUPPORTED if strength >= SUPPORTED_FROM else Support.NOT_IN_CONTEXT
    return ClaimVerdict(claim, support, sentence.chunk, nearest.text, round(strength, 4))


def _strength(passage: Passage, coverage: Coverage, context: Context, comparison: Comparison) -> float:
    strength = coverage.value(comparison.said_otherwise)
    if comparison.figures_missing:
        strength *= _FIGURE_MISSING
    if missing_names(passage, coverage.absent):
        strength *= _NAME_MISSING
    if any(term in _SPEAKER and term not in context.holding for term in passage.terms):
        strength *= _FIRST_PERSON
    return min(1.0, strength)
