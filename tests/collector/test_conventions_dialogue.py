"""The question is what the user asked, the answer what the user got."""

import json

import pytest

from collector.spans import Resource
from evaluators.sample import Readiness
from tests.collector.handmade import (
    ANSWER,
    QUESTION,
    REFUNDS,
    SHIPPING,
    Made,
    chain,
    model,
    read,
    retriever,
    texts,
)

REPR = "<generator object Chain.stream at 0x7f6a6eaaf710>"


def test_the_applications_question_wins_over_the_rewritten_query() -> None:
    sample = read(chain(asked="And for shoes?"), retriever(2, REFUNDS, asked="refund period shoes"), model())
    assert sample.question == "And for shoes?"


def test_without_a_readable_input_the_retrievers_query_is_the_question() -> None:
    assert read(chain(asked=REPR), retriever(2, REFUNDS), model()).question == QUESTION


def test_without_a_query_the_embedded_text_is_the_question() -> None:
    embedding = Made(2, {"openinference.span.kind": "EMBEDDING", "embedding.embeddings.0.embedding.text": QUESTION}, 1)
    vector = retriever(3, REFUNDS, asked='{"query_embedding": "<3-dimensional vector>", "top_k": null}')
    assert read(chain(asked=None), embedding, vector, model()).question == QUESTION


def test_documents_on_their_way_into_the_store_are_no_question() -> None:
    attributes = {
        "openinference.span.kind": "EMBEDDING",
        "embedding.embeddings.0.embedding.text": REFUNDS,
        "embedding.embeddings.1.embedding.text": SHIPPING,
    }
    sample = read(chain(asked=None, said=None), Made(2, attributes, 1))
    assert (sample.question, sample.readiness) == (None, Readiness.NO_RETRIEVAL)


def test_the_last_user_message_is_the_question_where_nothing_else_is() -> None:
    messages = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    asked = json.dumps({"messages": [*messages, {"role": "user", "content": QUESTION}]})
    assert read(chain(asked=None), retriever(2, REFUNDS, asked=REPR), model(asked=asked)).question == QUESTION


def test_a_prompt_that_repeats_the_context_is_no_question() -> None:
    asked = json.dumps([{"role": "user", "content": f"Context: {REFUNDS}\nQuestion: {QUESTION}"}])
    sample = read(chain(asked=None), retriever(2, REFUNDS, asked=REPR), model(asked=asked))
    assert (sample.question, sample.readiness) == (None, Readiness.NO_QUESTION)


@pytest.mark.parametrize(
    "mask", ["__REDACTED__", "[redacted]", "[REDACTED]", "<masked>", "***", "[Scrubbed due to 'x']"]
)
def test_a_masked_question_is_not_recovered_from_where_it_leaked(mask: str) -> None:
    sample = read(chain(asked=mask), retriever(2, REFUNDS, asked=QUESTION), model(asked=QUESTION))
    assert (sample.question, sample.readiness) == (None, Readiness.NO_QUESTION)
    assert "masked" in sample.reason


def test_a_masked_answer_is_not_recovered_from_the_model() -> None:
    sample = read(chain(said="__REDACTED__"), retriever(2, REFUNDS), model(said=ANSWER))
    assert (sample.answer, sample.readiness) == (None, Readiness.NO_ANSWER)


@pytest.mark.parametrize(
    "asked",
    [
        QUESTION,
        json.dumps(QUESTION),
        {"question": QUESTION, "chat_history": [{"role": "user", "content": "Hello there"}]},
        {"query": QUESTION, "top_k": 3},
        {"input": QUESTION},
        {"input": {"question": QUESTION}},
        {"inputs": {"question": QUESTION, "context": [REFUNDS]}, "tags": ["seq:step:1"]},
        {"messages": [{"role": "system", "content": "Be kind"}, {"role": "user", "content": QUESTION}]},
        {"messages": [[{"id": ["langchain", "HumanMessage"], "kwargs": {"content": QUESTION, "type": "human"}}]]},
        {"messages": [{"type": "human", "data": {"content": QUESTION, "type": "human"}}]},
        {"args": [QUESTION], "kwargs": {}},
        {"args": ["<app.Rag object at 0x7f>", QUESTION], "kwargs": {}},
        {"args": [], "kwargs": {"question": QUESTION, "session": "s 1"}},
        {"qb": {"query_str": QUESTION, "embedding": None}},
        {"str_or_query_bundle": {"query_str": QUESTION}},
        {"data": {"retriever": {"query": QUESTION}, "prompt_builder": {"question": QUESTION}}},
        {"data": {"embedder": {"text": QUESTION}}},
        {"system": "Answer from documents", "prompt": QUESTION},
        {"role": "user", "parts": [{"type": "text", "content": QUESTION}]},
        [{"role": "user", "parts": [{"type": "text", "content": json.dumps({"question": QUESTION})}]}],
        [{"role": "user", "content": [{"type": "text", "text": QUESTION}, {"type": "image", "image": "x"}]}],
        {"topic": QUESTION, "limit": 3},
    ],
)
def test_the_question_is_found_in_every_shape_of_input(asked: object) -> None:
    as_json = asked if isinstance(asked, str) else json.dumps(asked)
    for value in (asked, as_json, json.dumps(as_json)):
        assert read(chain(asked=value), retriever(2, REFUNDS, asked="rewritten"), model()).question == QUESTION


@pytest.mark.parametrize(
    "said",
    [
        ANSWER,
        json.dumps(ANSWER),
        {"answer": ANSWER, "context": [{"page_content": REFUNDS}], "input": QUESTION},
        {"result": ANSWER, "source_documents": [{"page_content": REFUNDS}]},
        {"response": ANSWER, "source_nodes": [REPR]},
        {"output": {"answer": ANSWER}},
        {"outputs": {"lc": 1, "id": ["langchain", "AIMessage"], "kwargs": {"content": ANSWER, "type": "ai"}}},
        {"outputs": ANSWER, "kwargs": {"tags": []}},
        {"llm": {"replies": [ANSWER], "meta": [{"model": "fake-1"}]}},
        {"llm": {"replies": [{"role": "assistant", "content": [{"text": ANSWER}]}]}},
        {"answer_builder": {"answers": [{"data": ANSWER, "query": QUESTION}]}},
        {"choices": [{"message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}]},
        {"generations": [[{"text": ANSWER, "generation_info": None}]]},
        {"messages": [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER}]},
        {"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]}]},
        {"content": {"parts": [{"text": ANSWER}], "role": "model"}},
        {"role": "assistant", "content": ANSWER},
        {"type": "ai", "data": {"content": ANSWER, "type": "ai"}},
        [
            {
                "role": "assistant",
                "parts": [
                    {"type": "text", "content": ANSWER},
                    {"type": "tool_call", "id": "c1", "name": "f"},
                    {"type": "tool_call_response", "id": "c1", "response": [{"text": REFUNDS}]},
                ],
            }
        ],
        [
            {
                "role": "assistant",
                "parts": [
                    {"type": "text", "content": "Let me look that up."},
                    {"type": "tool_call", "id": "c1", "name": "f"},
                    {"type": "text", "content": ANSWER},
                ],
            }
        ],
        [{"reasoning": "From the context.", "answer": ANSWER}],
        f"[[ ## reasoning ## ]]\nFrom the context.\n\n[[ ## answer ## ]]\n{ANSWER}\n\n[[ ## completed ## ]]",
    ],
)
def test_the_answer_is_found_in_every_shape_of_output(said: object) -> None:
    as_json = said if isinstance(said, str) else json.dumps(said)
    for value in (said, as_json, json.dumps(as_json)):
        assert read(chain(said=value), retriever(2, REFUNDS)).answer == ANSWER


@pytest.mark.parametrize(
    "said",
    [
        REPR,
        "GeneratedAnswer(data='You can', query='x', documents=[])",
        "content='You can get' additional_kwargs={} response_metadata={}",
        "{'answer': 'You can'}",
        "[Document(id=1, content='x')]",
        {"answers": ["GeneratedAnswer(data='You can', query='x')"]},
        {"documents": [{"page_content": REFUNDS}]},
        [{"id": "a", "text": REFUNDS, "score": 0.9}],
        {"output": [{"id": "a", "text": REFUNDS}, {"id": "b", "text": SHIPPING}]},
        {"llm": {"meta": [{"model": "fake-1"}]}},
        {"question": QUESTION},
        {"input": QUESTION, "context": REFUNDS},
        "",
        " ",
        "null",
        [],
        {},
    ],
)
def test_what_is_no_answer_gives_way_to_what_the_model_said(said: object) -> None:
    for value in (said, said if isinstance(said, str) else json.dumps(said)):
        assert read(chain(said=value), retriever(2, REFUNDS), model()).answer == ANSWER


def test_a_structure_gives_way_to_the_models_plain_text() -> None:
    assert read(chain(said='{"result": "ok"}'), retriever(2, REFUNDS), model()).answer == ANSWER


def test_a_structure_that_a_model_wrote_keeps_its_answer_despite_later_notes() -> None:
    said = json.dumps({"answer": ANSWER, "grade": "yes"})
    sample = read(chain(said=said), retriever(2, REFUNDS), model(8), model(9, "yes, it is grounded"))
    assert sample.answer == ANSWER


def test_the_answer_is_never_the_context() -> None:
    context = f"{REFUNDS}\n\n{SHIPPING}"
    joined = chain(2, parent=1, said=context, at=11, end=60)
    found = retriever(3, REFUNDS, SHIPPING, parent=2, at=12, end=20)
    assert read(chain(said=context), joined, found).answer is None
    assert read(Made(1, {"http.route": "/chat", "gen_ai.x": 1}), joined, found, model(parent=1)).answer == ANSWER


def test_a_model_that_only_rewrote_the_query_gave_no_answer() -> None:
    sample = read(
        chain(said=None),
        model(2, "refund period", at=12, end=15),
        retriever(3, REFUNDS, at=20, end=60),
        model(4, "alternative query", parent=3, at=21, end=30),
    )
    assert sample.readiness is Readiness.NO_ANSWER


def test_a_sender_with_another_clock_still_gave_the_answer() -> None:
    gateway = Resource("llm-gateway", {})
    assert read(chain(said=None), retriever(2, REFUNDS), model(at=-9000, end=-8000, resource=gateway)).answer == ANSWER


def test_a_failed_application_answered_nothing() -> None:
    sample = read(chain(said=None, failed=True), retriever(2, REFUNDS), model())
    assert (sample.readiness, sample.reason.split(";")[0]) == (Readiness.NO_ANSWER, "no answer: the application failed")


def test_an_application_called_by_another_service_that_failed_answered_nothing() -> None:
    top = chain(parent=77, said=None, failed=True, end=990)
    assert read(top, retriever(2, REFUNDS), model()).readiness is Readiness.NO_ANSWER


def test_a_failed_model_call_is_no_answer() -> None:
    sample = read(chain(said=None), retriever(2, REFUNDS), model(8, ANSWER), model(9, "partial", failed=True))
    assert sample.answer == ANSWER


def test_a_guardrails_verdict_is_no_answer() -> None:
    guardrail = Made(10, {"openinference.span.kind": "GUARDRAIL"}, 1, end=200)
    sample = read(chain(said=None), retriever(2, REFUNDS), model(9), guardrail, model(11, "safe", parent=10, at=120))
    assert sample.answer == ANSWER


def test_prompt_builders_stamped_as_models_gave_no_answer() -> None:
    prompt = f"Context: {REFUNDS} Question: {QUESTION}"
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.prompt_template.template": "Context: {{ documents }} Question: {{ question }}",
        "output.value": prompt,
    }
    sample = read(chain(said=None), retriever(2, REFUNDS), Made(8, attributes, 1))
    assert sample.readiness is Readiness.NO_ANSWER


def test_messages_in_parts_and_without_their_first_attributes_are_read() -> None:
    parts = {
        "openinference.span.kind": "LLM",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.contents.0.message_content.type": "text",
        "llm.output_messages.0.message.contents.0.message_content.text": ANSWER,
    }
    assert read(chain(said=None), retriever(2, REFUNDS), Made(9, parts, 1)).answer == ANSWER
    lossy = {"openinference.span.kind": "LLM", "llm.output_messages.1.message.content": ANSWER}
    assert read(chain(said=None), retriever(2, REFUNDS), Made(9, lossy, 1, dropped=90)).answer == ANSWER


def test_a_trace_without_its_root_is_read_from_what_the_retrieval_hangs_under() -> None:
    steps = chain(2, parent=77, said=json.dumps({"context": REFUNDS, "question": QUESTION}), at=11, end=60)
    sample = read(steps, retriever(3, REFUNDS, parent=2, asked="rewritten"), model(parent=77))
    assert (sample.question, sample.answer, sample.readiness) == (QUESTION, ANSWER, Readiness.RAG)


def test_an_unmarked_root_costs_nothing_but_its_texts() -> None:
    sample = read(retriever(2, REFUNDS, parent=77), model(parent=77))
    assert (sample.question, texts(sample), sample.answer) == (QUESTION, [REFUNDS], ANSWER)


def test_a_bare_retrieval_has_no_answer() -> None:
    found = {"openinference.span.kind": "RETRIEVER", "input.value": QUESTION, "output.value": json.dumps([REFUNDS])}
    sample = read(Made(1, found))
    assert (sample.question, sample.answer, sample.readiness) == (QUESTION, None, Readiness.NO_ANSWER)


@pytest.mark.parametrize("parent", [0, 77])
def test_a_service_that_retrieves_and_generates_in_one_call_answers_by_its_output(parent: int) -> None:
    attributes = {**retriever(1, REFUNDS).attributes, "llm.model_name": "fake-1", "output.value": ANSWER}
    sample = read(Made(1, attributes, parent))
    assert (sample.question, texts(sample), sample.answer) == (QUESTION, [REFUNDS], ANSWER)


def test_values_that_a_length_limit_cut_are_read_as_far_as_they_go_and_flagged() -> None:
    documents = json.dumps([{"id": "a", "content": REFUNDS}, {"id": "b", "content": SHIPPING}])
    limit = len(documents) - 30
    found = {"openinference.span.kind": "RETRIEVER", "input.value": QUESTION, "output.value": documents[:limit]}
    sample = read(chain(), Made(2, found, 1), model())
    assert [(chunk.id, chunk.truncated) for chunk in sample.chunks] == [("a", False), ("b", True)]
    assert sample.chunks[1].text is not None
    assert SHIPPING.startswith(sample.chunks[1].text)
    assert sample.incomplete


def test_a_plain_text_that_ends_at_the_senders_limit_is_flagged() -> None:
    limit = 50
    root = chain(said=json.dumps({"answer": ANSWER, "x": 1})[:limit])
    sample = read(root, retriever(2, REFUNDS[:limit]), model(said=ANSWER[:limit], asked=(QUESTION * 3)[:limit]))
    assert (sample.chunks[0].truncated, sample.incomplete) == (True, True)
