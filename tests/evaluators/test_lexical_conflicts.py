import pytest

from evaluators.facets import ClaimVerdict, Facet, Support
from evaluators.judges.lexical import judge
from evaluators.sample import Chunk, RagSample, Readiness
from tests.evaluators.lexical_cases import AGREEMENTS, CONTRADICTIONS, ELSEWHERE


def verdicts(claim: str, chunk: str) -> tuple[ClaimVerdict, ...]:
    sample = RagSample("0" * 32, "bot", Readiness.RAG, question="", chunks=(Chunk(chunk),), answer=claim)
    support = judge(sample, frozenset({Facet.CLAIM_SUPPORT})).claim_support
    assert support is not None
    return support.claims


@pytest.mark.parametrize(("claim", "chunk", "kind"), CONTRADICTIONS)
def test_a_contradiction_is_found_and_named_and_quoted(claim: str, chunk: str, kind: str) -> None:
    [verdict] = verdicts(claim, chunk)

    assert verdict.support is Support.CONTRADICTED
    assert verdict.conflict is not None
    assert verdict.conflict.kind == kind
    assert verdict.conflict.claimed in claim
    assert verdict.quote is not None
    assert verdict.quote in chunk
    assert verdict.conflict.found in verdict.quote


@pytest.mark.parametrize(("claim", "chunk", "support"), AGREEMENTS)
def test_what_agrees_or_speaks_of_something_else_is_never_a_contradiction(
    claim: str, chunk: str, support: Support | None
) -> None:
    found = verdicts(claim, chunk)

    assert all(verdict.conflict is None for verdict in found)
    assert Support.CONTRADICTED not in {verdict.support for verdict in found}
    if support is not None:
        assert {verdict.support for verdict in found} == {support}


@pytest.mark.parametrize(("claim", "chunk"), ELSEWHERE)
def test_a_claim_on_another_subject_is_not_in_the_context(claim: str, chunk: str) -> None:
    assert {verdict.support for verdict in verdicts(claim, chunk)} == {Support.NOT_IN_CONTEXT}
