"""How much of what could have been judged was judged.

coverage = scored / eligible. Eligible is what was scored, what failed, and what was skipped because the monitor could
not look: its queue, its budget, its limits, or an instrumentation that records no text, question or answer. Not
eligible is what nobody meant to judge (sampled_out, excluded, duplicate) and what has nothing to judge in it
(no_retrieval, no_documents, no_context, no_claims, abstained): those say something about the application.
"""

from evaluators.evaluation import Outcome, Scored, Skipped, SkipReason

BLIND = frozenset(
    {
        SkipReason.NO_TEXT,
        SkipReason.NO_ANSWER,
        SkipReason.NO_QUESTION,
        SkipReason.TOO_LONG,
        SkipReason.TRUNCATED,
        SkipReason.PARTIAL,
        SkipReason.SHED,
        SkipReason.BUDGET,
    }
)
"""Skips that lower coverage."""


def is_eligible(outcome: Outcome) -> bool:
    """Whether the outcome belongs into the denominator."""
    return not isinstance(outcome, Skipped) or outcome.reason in BLIND


def label_of(outcome: Outcome) -> tuple[str, str]:
    """The `outcome` and `reason` labels."""
    if isinstance(outcome, Scored):
        return "scored", ""
    return ("skipped" if isinstance(outcome, Skipped) else "failed"), outcome.reason.value
