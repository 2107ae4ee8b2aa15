"""Context match: are the expected passages among the retrieved ones? Token Jaccard, no judge."""

import re
from statistics import fmean

from evaluators.evaluation import Outcome, Scored, Skipped, SkipReason
from evaluators.facets import FacetAnswers
from evaluators.metrics.base import Metric, Needs
from evaluators.sample import RagSample

_TOKEN = re.compile(r"[^\W_]+")


def tokens(text: str) -> frozenset[str]:
    """The words of a text, whatever their case and punctuation."""
    return frozenset(_TOKEN.findall(text.casefold()))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Common / all; 0 where both are empty."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


def compute(sample: RagSample, answers: FacetAnswers) -> Outcome:
    """The mean over the expected passages of their likeness to the retrieved chunk that is most like them."""
    expected = [tokens(text) for text in (sample.reference.expected_context if sample.reference else ())]
    expected = [words for words in expected if words]
    if not expected:
        return Skipped(SkipReason.NO_REFERENCE)
    retrieved = [tokens(chunk.text or "") for chunk in sample.context]
    return Scored(fmean(max((jaccard(words, chunk) for chunk in retrieved), default=0.0) for words in expected))


CONTEXT_MATCH = Metric(
    name="context_match",
    version="1",
    facets=frozenset(),
    compute=compute,
    threshold=0.70,
    needs=Needs.EXPECTED_CONTEXT,
)
