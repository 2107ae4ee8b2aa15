"""Where an instrumentation records ids without text, the prompt may stand for them, if the operator says so."""

import json

import pytest

from collector.conventions.context_settings import ContextSettings
from collector.conventions.prompt_context import SOURCE
from collector.conventions.reader import TraceReader
from evaluators.sample import RagSample, Readiness
from tests.captures.apps.shop import CASES, DOCUMENTS
from tests.captures.own.key import samples
from tests.collector.handmade import ANSWER, QUESTION, REFUNDS, SHIPPING, Made, closed, retriever

FROM_PROMPT = ContextSettings(from_prompt=True)
IDS = json.dumps([{"id": "kb-1", "score": 0.9}, {"id": "kb-2", "score": 0.4}])
PROMPT = f"Answer from the context only.\n\nContext:\n{REFUNDS}\n\n{SHIPPING}\n\nQuestion: {QUESTION}"


def found(documents: str = IDS) -> Made:
    attributes = {"gen_ai.retrieval.query.text": QUESTION, "gen_ai.retrieval.documents": documents}
    return Made(2, {"gen_ai.operation.name": "retrieval", **attributes}, parent=1)


def chat(*messages: tuple[str, str], number: int = 3, **more: object) -> Made:
    asked = [{"role": who, "parts": [{"type": "text", "content": text}]} for who, text in messages]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
    attributes = {"gen_ai.input.messages": json.dumps(asked), "gen_ai.output.messages": json.dumps(said)}
    return Made(number, {"gen_ai.operation.name": "chat", **attributes, **more}, parent=1)


def read(*spans: Made, settings: ContextSettings = FROM_PROMPT) -> RagSample:
    return TraceReader(settings=settings).read(closed(*spans))


def test_by_default_ids_without_text_stay_ids_without_text() -> None:
    sample = read(found(), chat(("user", PROMPT)), settings=ContextSettings())
    assert sample.readiness is Readiness.NO_TEXT
    assert [chunk.text for chunk in sample.chunks] == [None, None]
    assert "context.from_prompt" in sample.reason


def test_the_part_labelled_as_context_is_one_marked_chunk_after_the_ids() -> None:
    sample = read(found(), chat(("user", PROMPT)))
    assert sample.readiness is Readiness.RAG
    assert [chunk.id for chunk in sample.chunks] == ["kb-1", "kb-2", None]
    (chunk,) = sample.context
    assert (chunk.text, chunk.source, chunk.span_id) == (f"{REFUNDS}\n\n{SHIPPING}", SOURCE, f"{3:016x}")
    assert "prompt" in sample.reason


def test_without_a_label_it_is_the_prompt_without_the_question() -> None:
    (chunk,) = read(found(), chat(("user", f"{REFUNDS}\n{QUESTION}"))).context
    assert chunk.text == REFUNDS


def test_earlier_turns_are_no_context() -> None:
    turns = [("user", "What is a kettle?"), ("assistant", "A kettle boils water."), ("user", QUESTION)]
    (chunk,) = read(found(), chat(("system", f"Context:\n{REFUNDS}"), *turns)).context
    assert chunk.text == REFUNDS


def test_instructions_of_their_own_attribute_are_read() -> None:
    instructions = json.dumps([{"type": "text", "content": f"<context>{REFUNDS}</context> Be brief."}])
    spans = (found(), chat(("user", QUESTION), **{"gen_ai.system_instructions": instructions}))
    assert [chunk.text for chunk in read(*spans).context] == [REFUNDS]


@pytest.mark.parametrize("hidden", ["__REDACTED__", "[redacted]"])
def test_what_was_masked_is_not_recovered_from_the_prompt(hidden: str) -> None:
    sample = read(found(hidden), chat(("user", PROMPT)))
    assert sample.readiness is Readiness.NO_TEXT
    assert REFUNDS not in repr(sample)


def test_a_retrieval_that_found_nothing_has_no_context_in_the_prompt() -> None:
    assert read(found("[]"), chat(("user", PROMPT))).readiness is Readiness.NO_DOCUMENTS


def test_recorded_text_is_preferred() -> None:
    sample = read(retriever(2, SHIPPING), chat(("user", PROMPT)))
    assert [chunk.text for chunk in sample.chunks] == [SHIPPING]


def test_a_prompt_that_holds_only_the_question_is_no_context() -> None:
    assert read(found(), chat(("user", QUESTION))).readiness is Readiness.NO_TEXT


def test_a_labelled_context_without_text_is_none() -> None:
    assert read(found(), chat(("user", f"Context:\n\nQuestion: {QUESTION}"))).readiness is Readiness.NO_TEXT


def test_the_question_of_a_labelled_prompt_is_what_follows_its_label() -> None:
    unsaid = Made(2, {"gen_ai.operation.name": "retrieval"}, parent=1)
    assert read(unsaid, chat(("user", PROMPT)), settings=ContextSettings()).question == QUESTION


def test_a_long_prompt_is_cut_and_flagged() -> None:
    settings = ContextSettings(from_prompt=True, max_chars_per_source=200)
    sample = read(found(), chat(("user", f"Context:\n{REFUNDS * 9}")), settings=settings)
    (chunk,) = sample.context
    assert (len(chunk.text or ""), chunk.truncated, sample.incomplete) == (200, True, True)


@pytest.mark.parametrize("app", ["otel_genai_langchain", "otel_genai_langchain_events"])
def test_bodies_of_the_official_instrumentation_can_be_judged_by_it(app: str) -> None:
    read_ones = samples(app, TraceReader(settings=FROM_PROMPT))
    by_question = {sample.question: sample for sample in read_ones}
    for case in CASES:
        texts = [chunk.text for chunk in by_question[case.question].context]
        assert texts == (["\n\n".join(DOCUMENTS[name] for name in case.found)] if case.found else [])
