from dataclasses import replace

from evaluators.facets import ONLINE_FACETS, Facet
from evaluators.judges.base import JudgeIdentity
from evaluators.sample import Reference
from evaluators.verdict_key import relevance_keys, verdict_key
from tests.samples import sample

JUDGE = JudgeIdentity("llm", "openai", "model-1", "1", {"temperature": "0"})
ALL = ONLINE_FACETS


def key(judge=JUDGE, facets=ALL, **changes):
    return verdict_key(str(judge), facets, sample(**changes))


def test_everything_that_a_verdict_depends_on_is_in_the_key():
    keys = [
        key(),
        key(question="Another?"),
        key(answer="Another."),
        key(chunks=("Another.",)),
        key(chunks=("a", "b")),
        key(chunks=("b", "a")),
        key(chunks=("ab",)),
        key(facets=frozenset({Facet.CLAIM_SUPPORT})),
        key(judge=replace(JUDGE, model="model-2")),
        key(judge=replace(JUDGE, version="2")),
        key(judge=replace(JUDGE, parameters={"temperature": "1"})),
    ]
    assert len(set(keys)) == len(keys)


def test_what_a_verdict_does_not_depend_on_is_not():
    assert key(trace_id="f" * 32, service="other") == key()
    assert key(judge=replace(JUDGE, name="renamed")) == key()


def test_a_facet_is_keyed_by_what_it_looks_at():
    fit, relevance = frozenset({Facet.ANSWER_FIT}), frozenset({Facet.CHUNK_RELEVANCE})
    assert key(facets=fit, chunks=("other",)) == key(facets=fit)
    assert key(facets=relevance, answer="other") == key(facets=relevance)


def test_relevance_has_a_key_for_each_question_and_chunk():
    first = relevance_keys(str(JUDGE), sample(chunks=("a", "b")))
    second = relevance_keys(str(JUDGE), sample(chunks=("b", "", "c"), answer="other"))
    assert first[1] == second[0]
    assert len({*first, *second}) == 3


def test_text_that_is_no_valid_unicode_still_has_a_key():
    assert key(answer="\ud800") != key(answer="\ud801")


def test_a_reference_is_in_the_key_of_what_looks_at_it_and_of_nothing_else():
    compared = frozenset({Facet.REFERENCE_CLAIMS})
    given = [None, Reference("a"), Reference("b"), Reference("a", key_points=("b",)), Reference("a", key_points=("c",))]
    assert len({key(facets=compared, reference=one) for one in given}) == len(given)
    assert len({key(reference=one) for one in given}) == 1
    assert key(facets=compared, reference=Reference("a", key_points=("b",)), chunks=("c",)) != key(
        facets=compared, reference=Reference("a", key_points=("b", "c")), chunks=()
    )
