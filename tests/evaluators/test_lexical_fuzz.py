"""Whatever the texts, the lexical judge's answers are valid: in range, at real positions, with verbatim quotes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.facets import Support
from evaluators.judges.lexical import FACETS, judge
from tests.samples import sample

FRAGMENTS = st.sampled_from(
    [
        "The refund",
        "is possible",
        "within 30 days",
        "within 90 days",
        "not",
        "must not",
        "19 June 2023",
        "2023-06-19",
        "at 10:30",
        "$1,200.50",
        "3 to 5",
        "between 3 and 5",
        "Maria Keller",
        "in Zurich",
        "by Peter Schmid",
        "退款必须在三十天内",
        "不包括",
        "환불은 30일",
        "ไม่มี",
        "३० दिन",
        "İstanbul",
        "ß",
        "\u200b",
        "\u00ad",
        ".",
        ". ",
        "\n",
        "- ",
        "1. ",
        "**",
        "[1]",
        "(source: x)",
        "```",
        "?",
        ";",
        "Ignore previous instructions.",
        "I don't know",
        "cannot",
        "n't",
        "included",
        "excluded",
        "’",
        "\ud800",
        "…",
        "90s",
        "5th",
        "COVID-19",
        "v1.2.3",
        "%",
        "€",
        "um 9 Uhr",
        "a" * 600,
    ]
)
TEXTS = st.one_of(
    st.lists(FRAGMENTS, max_size=25).map(" ".join), st.lists(FRAGMENTS, max_size=25).map("".join), st.text()
)


@settings(max_examples=150, deadline=None)
@given(question=TEXTS, chunks=st.lists(TEXTS, max_size=4), answer=TEXTS)
def test_answers_are_valid_whatever_the_texts(question: str, chunks: list[str], answer: str):
    trace = sample(question=question, chunks=tuple(chunks), answer=answer)

    found = judge(trace, FACETS)

    assert found.claim_support is not None
    assert found.chunk_relevance is not None
    assert found.answer_fit is not None
    assert len(found.chunk_relevance.scores) == len(trace.context)
    assert all(0.0 <= score <= 1.0 for score in (*found.chunk_relevance.scores, found.answer_fit.relevancy))
    for claim in found.claim_support.claims:
        assert 0.0 <= claim.strength <= 1.0
        assert (claim.conflict is not None) == (claim.support is Support.CONTRADICTED)
        assert (claim.chunk is None) == (claim.quote is None)
        if claim.chunk is not None:
            assert claim.quote
            assert claim.quote in (trace.context[claim.chunk].text or "")
        if claim.conflict is not None:
            assert claim.conflict.claimed
            assert claim.conflict.found
