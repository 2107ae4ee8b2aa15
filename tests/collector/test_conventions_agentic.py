"""Agents: what tools put out before the answer is context, where the operator says so."""

import json

from collector.conventions.context_settings import ContextSettings
from collector.conventions.reader import TraceReader
from evaluators.sample import RagSample, Readiness
from tests.collector.handmade import ANSWER, QUESTION, REFUNDS, Made, chain, closed, model, retriever

AGENTIC = ContextSettings(agentic=True)
ROWS = [{"order": 7, "days": 30}]


def tool(number: int, name: str, said: object, *, parent: int = 1, **rest: object) -> Made:
    attributes = {"openinference.span.kind": "TOOL", "tool.name": name, "output.value": said}
    return Made(number, {key: value for key, value in attributes.items() if value is not None}, parent, **rest)  # type: ignore[arg-type]


def read(*spans: Made, settings: ContextSettings = AGENTIC) -> RagSample:
    return TraceReader(settings=settings).read(closed(*spans))


def told(sample: RagSample) -> list[tuple[str | None, str | None]]:
    return [(chunk.source, chunk.text) for chunk in sample.chunks]


def test_by_default_tools_are_no_context() -> None:
    assert read(chain(), tool(2, "run_sql", "30"), settings=ContextSettings()).readiness is Readiness.NO_RETRIEVAL


def test_every_tool_call_is_a_chunk_with_its_label_in_the_order_of_the_trace() -> None:
    spans = (tool(4, "run_sql", "second"), retriever(3, REFUNDS, name="kb"), tool(2, "run_sql", "first"), model(9))
    sample = read(chain(), *spans)
    assert sample.readiness is Readiness.RAG
    assert told(sample) == [("run_sql#1", "first"), ("kb#1", REFUNDS), ("run_sql#2", "second")]
    assert [chunk.span_id for chunk in sample.chunks] == [f"{number:016x}" for number in (2, 3, 4)]
    assert (sample.question, sample.answer) == (QUESTION, ANSWER)
    assert sample.reason.startswith("3 chunks from 1 retrieval and 2 tool calls")


def test_only_the_named_services_are_agentic() -> None:
    spans = (chain(), tool(2, "run_sql", "30"))
    assert read(*spans, settings=ContextSettings(agentic=("sh*",))).readiness is Readiness.RAG
    assert read(*spans, settings=ContextSettings(agentic=("other",))).readiness is Readiness.NO_RETRIEVAL


def test_structures_and_messages_are_read_as_the_model_got_them() -> None:
    message = json.dumps({"type": "tool", "content": "30 days", "tool_call_id": "c1"})
    parts = json.dumps({"output": [{"type": "text", "text": "within a month"}]})
    sample = read(chain(), tool(2, "a", json.dumps(ROWS)), tool(3, "b", message), tool(4, "c", parts), model(9))
    assert [text for _, text in told(sample)] == ['[{"order":7,"days":30}]', "30 days", "within a month"]


def test_an_error_stays_with_its_message() -> None:
    raised = [("exception", {"exception.message": "no such table: orders"})]
    failed = tool(2, "run_sql", None, failed=True, events=raised)
    assert told(read(chain(), failed, model(9))) == [("run_sql#1", "error: no such table: orders")]


def test_a_long_output_is_cut_alone_and_flagged() -> None:
    settings = ContextSettings(agentic=True, max_chars_per_source=200)
    sample = read(chain(), tool(2, "dump", "x" * 900), tool(3, "count", "30"), model(9), settings=settings)
    assert [(len(chunk.text or ""), chunk.truncated) for chunk in sample.chunks] == [(200, True), (2, False)]


def test_a_tool_after_the_answer_is_no_context() -> None:
    assert told(read(chain(), tool(2, "search", "30"), model(9), tool(12, "save", "saved", at=500))) == [
        ("search#1", "30")
    ]


def test_a_tool_around_a_retrieval_or_a_tool_is_not_told_twice() -> None:
    spans = (tool(2, "kb", REFUNDS, end=90), retriever(3, REFUNDS, parent=2, name="store"))
    nested = (tool(5, "plan", "a plan", end=95), tool(6, "step", "a step", parent=5))
    assert told(read(chain(), *spans, *nested, model(12))) == [("store#1", REFUNDS), ("plan#1", "a plan")]


def test_masked_outputs_give_no_text() -> None:
    sample = read(chain(), tool(2, "run_sql", "__REDACTED__"), model(9))
    assert sample.readiness is Readiness.NO_TEXT
    assert told(sample) == [("run_sql#1", None)]
