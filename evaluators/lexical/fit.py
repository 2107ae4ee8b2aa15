"""Fit: whether an answer addresses its question, or declines to answer it."""

import math
from collections.abc import Sequence
from itertools import chain

from evaluators.facets import AnswerFit, ClaimVerdict, Support
from evaluators.lexical import tables
from evaluators.lexical.claims import Statements
from evaluators.lexical.passage import Passage
from evaluators.lexical.question import Question
from evaluators.lexical.tokens import terms

# An answer repeats about this share of a question's terms: the rest it may leave unsaid.
_USUAL_SHARE = 0.6
_UNDECIDED = 0.5
_BARE = frozenset(tables.words("bare_answers"))


def fit(question: Question, said: Statements, claims: Sequence[Passage], verdicts: Sequence[ClaimVerdict]) -> AnswerFit:
    """Relevancy is what the answer, or the passage that supports it, repeats of the question.

    A short answer ("2,586") repeats nothing; the passage that it was taken from shows what it answers.
    """
    if said.declines and not claims:
        return AnswerFit(0.0, abstained=True)
    if not question.weights:
        return AnswerFit(_UNDECIDED, abstained=False)
    if not claims:
        is_bare = _BARE.issuperset(said.text.lower().replace(",", " ").strip(" .!。").split())
        return AnswerFit(1.0 if is_bare else _relevancy(question.share_of(terms(said.text))), abstained=False)
    share = question.share_of(chain.from_iterable(claim.terms for claim in claims))
    for claim, verdict in zip(claims, verdicts, strict=True):
        if share >= _USUAL_SHARE:
            break
        share = max(share, _bridged(question, claim, verdict))
    return AnswerFit(_relevancy(share), abstained=False)


def _relevancy(share: float) -> float:
    """The first words in common say most: half of the usual share is 0.71."""
    return round(min(1.0, math.sqrt(share / _USUAL_SHARE)), 4)


def _bridged(question: Question, claim: Passage, verdict: ClaimVerdict) -> float:
    if verdict.support is Support.NOT_IN_CONTEXT or verdict.quote is None:
        return 0.0
    # A contradicted claim speaks of the passage's subject all the same.
    strength = 1.0 if verdict.support is Support.CONTRADICTED else verdict.strength
    return strength * question.share_of([*claim.terms, *terms(verdict.quote)])
