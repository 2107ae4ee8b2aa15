"""Fit: whether an answer addresses its question, or declines to answer it."""

from collections.abc import Sequence

from evaluators.facets import AnswerFit, ClaimVerdict, Support
from evaluators.lexical import tables
from evaluators.lexical.claims import Statements
from evaluators.lexical.question import Question
from evaluators.lexical.tokens import terms

# An answer repeats about this share of a question's terms: the rest it may leave unsaid.
_USUAL_SHARE = 0.6
_UNDECIDED = 0.5
_BARE = frozenset(tables.words("bare_answers"))


def fit(question: Question, answer: str, said: Statements, verdicts: Sequence[ClaimVerdict]) -> AnswerFit:
    """Relevancy is what the answer, or the passage that supports it, repeats of the question.

    A short answer ("2,586") repeats nothing; the passage that it was taken from shows what it answers.
    """
    if said.declines and not said.claims:
        return AnswerFit(0.0, abstained=True)
    if not question.weights:
        return AnswerFit(_UNDECIDED, abstained=False)
    if not said.claims and _BARE.issuperset(answer.lower().replace(",", " ").strip(" .!。").split()):
        return AnswerFit(1.0, abstained=False)
    share = question.share_in(frozenset(terms(" ".join(said.claims) or answer[:2_000])))
    bridged = max((_bridged(question, verdict) for verdict in verdicts), default=0.0)
    return AnswerFit(round(min(1.0, max(share, bridged) / _USUAL_SHARE), 4), abstained=False)


def _bridged(question: Question, verdict: ClaimVerdict) -> float:
    if verdict.support is Support.NOT_IN_CONTEXT or verdict.quote is None:
        return 0.0
    # A contradicted claim speaks of the passage's subject all the same.
    strength = 1.0 if verdict.support is Support.CONTRADICTED else verdict.strength
    return strength * question.share_in(frozenset(terms(f"{verdict.quote} {verdict.claim}")))
