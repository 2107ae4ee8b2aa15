"""Support: what the context says about each claim of an answer."""

from collections.abc import Iterator
from itertools import pairwise

from evaluators.facets import ClaimVerdict, Support
from evaluators.lexical.conflicts import Comparison, compare
from evaluators.lexical.context import Context
from evaluators.lexical.coverage import cover
from evaluators.lexical.evidence import Evidence
from evaluators.lexical.names import missing_names
from evaluators.lexical.passage import Passage
from evaluators.lexical.scripts import HAS_UNSPACED, fold
from evaluators.lexical.weights import FUNCTION_TERMS

SUPPORTED_FROM = 0.6
"""Strength from which a claim counts as supported; fixed once for all languages and kinds of text."""

# What remains of the strength of a claim with a figure or a name of its own, about its speaker, or contradicted.
_REPLACED = 0.55
_FIGURE_MISSING = 0.8
_NAME_MISSING = 0.8
_FIRST_PERSON = 0.8
_CONTRADICTED = 0.3
_SPEAKER = frozenset({"i", "my", "me", "mine"})


def claims_something(passage: Passage) -> bool:
    """Whether it has a content term: "It is." claims nothing that could be checked."""
    return not FUNCTION_TERMS.issuperset(passage.terms)


def verdict(passage: Passage, question: frozenset[str], context: Context) -> ClaimVerdict:
    """The verdict on one claim."""
    coverage = cover(passage.terms, question, context)
    if coverage is None:
        return ClaimVerdict(passage.text, Support.NOT_IN_CONTEXT)
    sentence = context.sentences[coverage.sentence]
    evidence = Evidence(passage, Passage(context.text(coverage.sentence), sentence.terms), coverage, context)
    comparison = compare(evidence)
    strength = _strength(evidence, comparison)
    support = Support.SUPPORTED if strength >= SUPPORTED_FROM else Support.NOT_IN_CONTEXT
    if comparison.conflict is not None:
        support, strength = Support.CONTRADICTED, strength * _CONTRADICTED
    quote = evidence.sentence.text
    return ClaimVerdict(passage.text, support, sentence.chunk, quote, round(strength, 4), comparison.conflict)


def _strength(evidence: Evidence, comparison: Comparison) -> float:
    claim, sentence = evidence.claim, evidence.sentence
    strength = evidence.coverage.value(comparison.said_otherwise)
    if comparison.replaced or _has_new_word(claim, sentence):
        strength *= _REPLACED
    if comparison.figures_missing:
        strength *= _FIGURE_MISSING
    if missing_names(claim, evidence.coverage.absent):
        strength *= _NAME_MISSING
    if any(term in _SPEAKER and term not in sentence.terms for term in claim.terms):
        strength *= _FIRST_PERSON
    return min(1.0, strength)


def _has_new_word(claim: Passage, sentence: Passage) -> bool:
    """Whether the claim has two characters in a row that the sentence does not have at all.

    Only for scripts whose characters are words: there most of a pair of sentences agrees whatever the name in it.
    """
    if not HAS_UNSPACED.search(claim.text):
        return False
    known = set(fold(sentence.text))
    return any(one not in known and other not in known for one, other in _ideographs(fold(claim.text)))


def _ideographs(text: str) -> Iterator[tuple[str, str]]:
    return (
        (one, other) for one, other in pairwise(text) if "\u4e00" <= one <= "\u9fff" and "\u4e00" <= other <= "\u9fff"
    )
