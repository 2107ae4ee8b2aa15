"""The chunks are what the model saw, whatever retrieved, nested, reranked or repeated them."""

import json

import pytest

from evaluators.sample import Readiness
from tests.collector.handmade import (
    ANSWER,
    QUESTION,
    REFUNDS,
    SHIPPING,
    WARRANTY,
    Made,
    chain,
    model,
    read,
    reranker,
    retriever,
    texts,
)


def test_kind_decides_and_not_the_name() -> None:
    odd = retriever(2, REFUNDS, name="step-1")
    named = Made(
        3, {"openinference.span.kind": "CHAIN", "output.value": json.dumps([{"text": SHIPPING}])}, 1, "retrieve"
    )
    assert texts(read(chain(), odd, named, model())) == [REFUNDS]


def test_an_agent_stamped_retriever_is_known_by_its_documents() -> None:
    stamped = Made(
        2,
        {
            "openinference.span.kind": "AGENT",
            "input.value": QUESTION,
            "output.value": json.dumps({"documents": [{"id": "a", "page_content": REFUNDS}]}),
            "retrieval.documents.0.document.content": REFUNDS,
        },
        1,
    )
    sample = read(chain(), stamped, model())
    assert [(chunk.text, chunk.id) for chunk in sample.chunks] == [(REFUNDS, "a")]
    assert sample.readiness is Readiness.RAG


def test_an_agent_that_carries_its_documents_itself_answers_by_its_output() -> None:
    agent = Made(
        1,
        {
            "openinference.span.kind": "AGENT",
            "input.value": QUESTION,
            "output.value": ANSWER,
            "retrieval.documents.0.document.content": REFUNDS,
        },
    )
    sample = read(agent)
    assert (sample.question, texts(sample), sample.answer) == (QUESTION, [REFUNDS], ANSWER)


def test_documents_without_any_kind_make_a_retrieval() -> None:
    bare = Made(2, {"input.value": QUESTION, "retrieval.documents.0.document.content": REFUNDS}, 1)
    assert texts(read(chain(), bare)) == [REFUNDS]


def test_the_outermost_of_nested_retrievals_counts_once() -> None:
    sample = read(
        chain(),
        retriever(2, WARRANTY, REFUNDS, at=20, end=90),
        retriever(3, REFUNDS, WARRANTY, parent=2),
        retriever(4, SHIPPING, parent=3),
        model(),
    )
    assert texts(sample) == [WARRANTY, REFUNDS]
    assert {chunk.span_id for chunk in sample.chunks} == {"0000000000000002"}


def test_an_outer_retrieval_without_documents_gives_way_to_the_inner_one() -> None:
    assert texts(read(chain(), retriever(2, at=20, end=90), retriever(3, REFUNDS, parent=2), model())) == [REFUNDS]


def test_an_outer_retrieval_that_kept_nothing_hides_what_the_inner_one_found() -> None:
    nothing = Made(2, {"openinference.span.kind": "RETRIEVER", "output.value": '{"documents": []}'}, 1, at=20, end=90)
    sample = read(chain(), nothing, retriever(3, REFUNDS, parent=2), model())
    assert (texts(sample), sample.readiness) == ([], Readiness.NO_DOCUMENTS)


def test_six_spans_of_a_fusion_retriever_are_one_retrieval() -> None:
    spans = [retriever(2, WARRANTY, REFUNDS, at=20, end=200), retriever(3, parent=2, at=21, end=199)]
    for number, found in ((4, REFUNDS), (6, WARRANTY)):
        spans += [
            retriever(number, found, parent=3, at=number * 10, end=number * 10 + 15),
            retriever(number + 1, parent=number, at=number * 10 + 1, end=number * 10 + 14),
        ]
    assert texts(read(chain(), *spans, model(40))) == [WARRANTY, REFUNDS]


def test_several_retrievals_come_in_order_without_repeats() -> None:
    sample = read(
        chain(),
        retriever(2, REFUNDS, SHIPPING, at=20, end=30),
        retriever(3, SHIPPING, WARRANTY, at=40, end=50),
        model(),
    )
    assert texts(sample) == [REFUNDS, SHIPPING, WARRANTY]


def test_a_text_that_one_retrieval_returned_twice_stays_twice() -> None:
    assert texts(read(chain(), retriever(2, REFUNDS, REFUNDS), model())) == [REFUNDS, REFUNDS]


def test_a_reranking_stands_for_all_that_it_was_given() -> None:
    sample = read(
        chain(),
        retriever(2, REFUNDS, SHIPPING),
        retriever(3, WARRANTY),
        reranker(4, WARRANTY, REFUNDS, given=(REFUNDS, SHIPPING, WARRANTY)),
        model(),
    )
    assert texts(sample) == [WARRANTY, REFUNDS]


def test_a_retrieval_after_the_reranking_is_not_part_of_it() -> None:
    sample = read(chain(), retriever(2, REFUNDS), reranker(3, REFUNDS), retriever(4, SHIPPING), model())
    assert texts(sample) == [REFUNDS, SHIPPING]


def test_a_reranking_of_one_branch_leaves_the_other_branch_alone() -> None:
    sample = read(
        chain(),
        chain(2, parent=1, said="joined", at=11, end=60),
        retriever(3, SHIPPING, parent=1, at=12, end=14),
        retriever(4, REFUNDS, WARRANTY, parent=2, at=15, end=20),
        reranker(5, WARRANTY, REFUNDS, parent=2, at=25, end=30),
        model(),
    )
    assert texts(sample) == [SHIPPING, WARRANTY, REFUNDS]


def test_a_reranking_without_documents_leaves_the_retrievers_order() -> None:
    assert texts(read(chain(), retriever(2, REFUNDS, SHIPPING), reranker(3), model())) == [REFUNDS, SHIPPING]


def test_a_reranking_that_names_ids_only_reorders_the_texts() -> None:
    found = json.dumps([{"id": "a", "content": REFUNDS}, {"id": "b", "content": SHIPPING}])
    first = Made(2, {"langfuse.observation.type": "retriever", "langfuse.observation.output": found}, 1)
    ranked = Made(3, {"langfuse.observation.type": "reranker", "langfuse.observation.output": '["b", "a"]'}, 1)
    sample = read(chain(), first, ranked, model())
    assert [(chunk.id, chunk.text) for chunk in sample.chunks] == [("b", SHIPPING), ("a", REFUNDS)]


def test_documents_masked_in_the_retrieval_are_not_recovered_from_the_reranking() -> None:
    sample = read(chain(), retriever(2, "__REDACTED__"), reranker(3, REFUNDS), model())
    assert (texts(sample), sample.readiness) == ([None], Readiness.NO_TEXT)


def test_a_partly_masked_context_is_judged_as_incomplete() -> None:
    sample = read(chain(), retriever(2, REFUNDS, "__REDACTED__"), model())
    assert (sample.readiness, sample.incomplete) == (Readiness.RAG, True)


def test_indices_are_ordered_as_numbers_and_gaps_flag_the_trace() -> None:
    attributes: dict[str, object] = {"openinference.span.kind": "RETRIEVER", "input.value": QUESTION}
    attributes |= {f"retrieval.documents.{rank}.document.content": f"chunk {rank}" for rank in (10, 9, 2, 11)}
    sample = read(chain(), Made(2, attributes, 1), model())
    assert (texts(sample), sample.incomplete) == (["chunk 2", "chunk 9", "chunk 10", "chunk 11"], True)


def test_attributes_dropped_by_the_sender_flag_the_trace() -> None:
    assert read(chain(), retriever(2, REFUNDS, dropped=3), model()).incomplete
    assert not read(chain(dropped=3), retriever(2, REFUNDS), model()).incomplete


def test_explicit_context_wins_over_what_was_retrieved() -> None:
    metadata = json.dumps({"retrievalContext": [WARRANTY, SHIPPING]})
    root = chain()
    declared = Made(1, {**root.attributes, "metadata": metadata})
    assert texts(read(declared, retriever(2, REFUNDS), model())) == [WARRANTY, SHIPPING]


@pytest.mark.parametrize(
    "attributes",
    [
        {"metadata": json.dumps({"retrieval_context": REFUNDS})},
        {"langfuse.trace.metadata.retrievalContext": json.dumps([REFUNDS])},
        {"langsmith.metadata.retrieval_context": json.dumps([REFUNDS])},
        {"traceloop.association.properties.retrieval_context": REFUNDS},
        {"ai.telemetry.metadata.retrievalContext": [REFUNDS]},
        {"confident.trace.retrieval_context": [REFUNDS]},
        {"confident.trace.metadata": json.dumps({"retrievalContext": [REFUNDS]})},
        {"retrievalContext": [REFUNDS]},
    ],
)
def test_explicit_context_is_found_wherever_a_dialect_keeps_metadata(attributes: dict[str, object]) -> None:
    root = Made(1, {**chain().attributes, **attributes})
    sample = read(root, model())
    assert (texts(sample), sample.readiness) == ([REFUNDS], Readiness.RAG)


def test_metadata_of_a_document_is_no_metadata_of_the_trace() -> None:
    attributes = {**retriever(2, REFUNDS).attributes, "retrieval.documents.0.document.metadata": '{"monitor": false}'}
    assert read(chain(), Made(2, attributes, 1), model()).excluded is None


def test_two_instrumentations_of_one_retriever_are_one_retrieval() -> None:
    ids_only = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": '[{"id": "a", "score": 0.9}]'}
    with_text = {**retriever(3, REFUNDS).attributes, "retrieval.documents.0.document.id": "a"}
    for outer, inner in ((ids_only, with_text), (with_text, ids_only)):
        sample = read(chain(), Made(2, outer, 1, at=20, end=90), Made(3, inner, 2), model())
        assert [(chunk.id, chunk.text) for chunk in sample.chunks] == [("a", REFUNDS)]


def test_a_retrieval_within_an_evaluation_is_not_the_applications() -> None:
    evaluator = Made(2, {"openinference.span.kind": "EVALUATOR"}, 1, at=20, end=90)
    sample = read(chain(), evaluator, retriever(3, REFUNDS, parent=2), model(4, "faithful", parent=2))
    assert sample.readiness is Readiness.NO_RETRIEVAL


def test_a_failed_retrieval_without_documents_found_nothing() -> None:
    sample = read(chain(said=None), retriever(2, failed=True))
    assert (sample.readiness, sample.reason) == (
        Readiness.NO_DOCUMENTS,
        "the retrieval failed and returned no documents",
    )


def test_blank_documents_are_no_text() -> None:
    blank = Made(2, {"confident.span.type": "retriever", "confident.span.retrieval_context": ["", " "]}, 1)
    assert read(chain(), blank, model()).readiness is Readiness.NO_TEXT
