"""An operator's rule names a span and says where its query and documents are."""

import json

import pytest
from pydantic import ValidationError

from collector.conventions.reader import TraceReader
from collector.conventions.rules import OperatorRule
from evaluators.sample import Readiness
from tests.collector.handmade import ANSWER, QUESTION, REFUNDS, SHIPPING, Made, chain, model, read, retriever, texts

FOUND = json.dumps([{"id": "a", "text": REFUNDS}, {"id": "b", "text": SHIPPING}])
TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "search_docs",
    "gen_ai.tool.call.arguments": json.dumps({"query": QUESTION}),
    "gen_ai.tool.call.result": FOUND,
}


def rule(**fields: object) -> OperatorRule:
    return OperatorRule.model_validate(fields)


def tool(number: int = 2, **attributes: object) -> Made:
    return Made(number, {**TOOL, **attributes}, 1, name="execute_tool search_docs")


@pytest.mark.parametrize(
    "match",
    [
        {"attributes": {"gen_ai.tool.name": "search_docs"}},
        {"attributes": {"gen_ai.tool.name": "search_*", "gen_ai.operation.name": "execute_tool"}},
        {"name": "execute_tool search_docs"},
        {"name": "execute_tool *"},
        {"name": "*search*", "attributes": {"gen_ai.operation.name": "execute_tool"}},
    ],
)
def test_a_rule_matches_by_name_or_attribute_exactly_or_by_pattern(match: dict[str, object]) -> None:
    sample = read(chain(), tool(), model(), rules=[rule(match=match, documents="gen_ai.tool.call.result")])
    assert (texts(sample), sample.readiness) == ([REFUNDS, SHIPPING], Readiness.RAG)
    assert sample.dialects[0] == "operator_rule"


@pytest.mark.parametrize(
    "match",
    [
        {"attributes": {"gen_ai.tool.name": "search"}},
        {"attributes": {"gen_ai.tool.name": "search_docs", "gen_ai.operation.name": "chat"}},
        {"name": "search_docs"},
        {"attributes": {"gen_ai.tool.missing": "search_docs"}},
    ],
)
def test_a_rule_that_does_not_hold_whole_does_not_match(match: dict[str, object]) -> None:
    sample = read(chain(), tool(), model(), rules=[rule(match=match)])
    assert sample.readiness is Readiness.NO_RETRIEVAL


def test_attributes_of_other_types_match_by_value() -> None:
    of_flag = rule(match={"attributes": {"app.is_search": True}}, documents="app.found")
    made = Made(2, {"app.is_search": True, "app.found": FOUND, "gen_ai.operation.name": "x"}, 1)
    assert texts(read(chain(), made, model(), rules=[of_flag])) == [REFUNDS, SHIPPING]
    other = Made(2, {"app.is_search": 1, "app.found": FOUND, "gen_ai.operation.name": "x"}, 1)
    assert read(chain(), other, model(), rules=[of_flag]).readiness is Readiness.NO_RETRIEVAL


def test_without_places_the_spans_own_input_and_output_are_taken() -> None:
    sample = read(chain(asked=None), tool(), model(), rules=[rule(match={"name": "execute_tool *"})])
    assert (sample.question, texts(sample)) == (QUESTION, [REFUNDS, SHIPPING])


def test_places_may_be_a_path_into_json_and_keys_may_be_named() -> None:
    attributes = {
        "app.request": json.dumps({"body": {"terms": [QUESTION]}}),
        "app.response": json.dumps({"hits": {"list": [{"pid": 7, "para": {"body_text": REFUNDS}, "rel": "0.5"}]}}),
    }
    named = rule(
        match={"name": "POST /search"},
        query={"attribute": "app.request", "path": "body.terms.0"},
        documents={
            "attribute": "app.response",
            "path": "hits.list",
            "text": "para.body_text",
            "id": "pid",
            "score": "rel",
        },
    )
    sample = read(chain(asked=None), Made(2, attributes, 1, name="POST /search"), model(), rules=[named])
    assert sample.question == QUESTION
    assert [(chunk.text, chunk.id, chunk.score) for chunk in sample.chunks] == [(REFUNDS, "7", 0.5)]


def test_documents_under_unknown_keys_are_named_in_the_reason() -> None:
    unknown = tool(**{"gen_ai.tool.call.result": json.dumps([{"paragraph": REFUNDS, "pid": 7}])})
    sample = read(chain(), unknown, model(), rules=[rule(match={"name": "execute_tool *"})])
    assert sample.readiness is Readiness.NO_TEXT
    assert "paragraph" in sample.reason


def test_text_results_of_mcp_tools_are_unpacked() -> None:
    result = json.dumps({"content": [{"type": "text", "text": FOUND}], "isError": False})
    sample = read(
        chain(), tool(**{"gen_ai.tool.call.result": result}), model(), rules=[rule(match={"name": "execute*"})]
    )
    assert [(chunk.text, chunk.id) for chunk in sample.chunks] == [(REFUNDS, "a"), (SHIPPING, "b")]


def test_llama_index_under_openllmetry_is_read_by_one_rule() -> None:
    nodes = [json.dumps({"node": {"id_": "a", "text": REFUNDS, "metadata": {"page": 1}}, "score": 0.9})]
    attributes = {
        "traceloop.span.kind": "task",
        "traceloop.entity.name": "VectorIndexRetriever",
        "traceloop.entity.input": json.dumps({"str_or_query_bundle": {"query_str": QUESTION}}),
        "traceloop.entity.output": json.dumps(nodes),
    }
    outer = Made(2, attributes, 1, "VectorIndexRetriever.task", at=20, end=90)
    inner = Made(3, attributes, 2, "VectorIndexRetriever.task")
    root = Made(1, {"traceloop.span.kind": "workflow", "traceloop.entity.output": json.dumps(ANSWER)})
    sample = read(root, outer, inner, rules=[rule(match={"attributes": {"traceloop.entity.name": "*Retriever"}})])
    assert [(chunk.text, chunk.id, chunk.score) for chunk in sample.chunks] == [(REFUNDS, "a", 0.9)]
    assert (sample.question, sample.answer) == (QUESTION, ANSWER)


def test_the_first_rule_that_fits_wins_and_may_say_another_kind() -> None:
    rules = [
        rule(match={"name": "execute_tool search_docs"}, kind="evaluation"),
        rule(match={"name": "execute_tool *"}),
    ]
    assert read(chain(), tool(), model(), rules=rules).readiness is Readiness.NO_RETRIEVAL


def test_a_rule_for_an_outer_tool_covers_the_retriever_in_it() -> None:
    outer = Made(2, TOOL, 1, "execute_tool search_docs", at=20, end=90)
    sample = read(chain(), outer, retriever(3, "raw text", parent=2), model(), rules=[rule(match={"name": "execute*"})])
    assert texts(sample) == [REFUNDS, SHIPPING]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"match": {}},
        {"match": {"name": "*"}},
        {"match": {"name": "a?"}},
        {"match": {"name": "search", "where": "x"}},
        {"match": {"name": "search"}, "kind": "magic"},
        {"match": {"name": "search"}, "documents": {"path": "x"}},
        {"match": {"name": "search"}, "text_from": "x"},
    ],
)
def test_a_rule_that_says_too_little_or_something_unknown_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        rule(**fields)


def test_rules_add_a_marker_only_where_no_dialect_keeps_the_span() -> None:
    known = TraceReader().markers
    assert TraceReader([rule(match={"attributes": {"gen_ai.tool.name": "search_docs"}})]).markers == known
    by_route = rule(match={"attributes": {"http.route": "/search"}})
    by_name = rule(match={"name": "vector search *"})
    assert TraceReader([by_route, by_name]).markers == (*known, b"/search", b"vector search ")
