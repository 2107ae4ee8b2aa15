"""What each dialect writes is read: bodies that the captures do not hold, by the documentation of the libraries."""

import json

import pytest

from collector.conventions.registry import DIALECTS, markers
from collector.spans import Resource
from evaluators.sample import RagSample, Readiness
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
    retriever,
    texts,
)

DOCUMENTS = [{"id": "a", "content": REFUNDS, "score": 0.9}, {"id": "b", "content": SHIPPING, "score": 0.4}]
BOTH = [(REFUNDS, "a"), (SHIPPING, "b")]


def said(text: str) -> str:
    """A model's message as JSON."""
    return json.dumps([{"role": "assistant", "content": text}])


def pairs(sample: RagSample) -> list[tuple[str | None, str | None]]:
    return [(chunk.text, chunk.id) for chunk in sample.chunks]


def test_markers_are_few_and_every_dialect_has_its_own() -> None:
    # The search for markers takes sixteen at once; one more would double its time.
    assert len(markers()) <= 16
    assert all(dialect.markers and dialect.keys for dialect in DIALECTS)
    assert len({dialect.name for dialect in DIALECTS}) == len(DIALECTS)


class TestOtelGenAi:
    @pytest.mark.parametrize("documents", [DOCUMENTS, json.dumps(DOCUMENTS), [json.dumps(one) for one in DOCUMENTS]])
    def test_documents_come_as_structure_as_json_or_as_a_list_of_json(self, documents: object) -> None:
        sample = read(
            Made(1, {"gen_ai.operation.name": "invoke_workflow"}),
            Made(
                2,
                {
                    "gen_ai.operation.name": "retrieval",
                    "gen_ai.retrieval.query.text": QUESTION,
                    "gen_ai.retrieval.documents": documents,
                },
                1,
            ),
            Made(
                9,
                {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}],
                },
                1,
            ),
        )
        assert (pairs(sample), sample.question, sample.answer) == (BOTH, QUESTION, ANSWER)
        assert [chunk.score for chunk in sample.chunks] == [0.9, 0.4]

    @pytest.mark.parametrize(
        "chat",
        [
            {"attributes": {"gen_ai.prompt": QUESTION, "gen_ai.completion": ANSWER}},
            {
                "attributes": {
                    "gen_ai.prompt.0.role": "user",
                    "gen_ai.prompt.0.content": QUESTION,
                    "gen_ai.completion.0.role": "assistant",
                    "gen_ai.completion.0.content": ANSWER,
                }
            },
            {
                "events": [
                    ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([{"role": "user", "content": QUESTION}])}),
                    ("gen_ai.content.completion", {"gen_ai.completion": said(ANSWER)}),
                ]
            },
            {
                "events": [
                    ("gen_ai.system.message", {"content": "Be kind"}),
                    ("gen_ai.user.message", {"content": QUESTION}),
                    ("gen_ai.choice", {"index": 0, "message": {"role": "assistant", "content": ANSWER}}),
                ]
            },
            {
                "events": [
                    (
                        "gen_ai.client.inference.operation.details",
                        {
                            "gen_ai.input.messages": [
                                {"role": "user", "parts": [{"type": "text", "content": QUESTION}]}
                            ],
                            "gen_ai.output.messages": json.dumps(
                                [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
                            ),
                        },
                    )
                ]
            },
        ],
    )
    def test_content_is_read_in_every_stage_of_the_conventions(self, chat: dict[str, object]) -> None:
        attributes = {"gen_ai.operation.name": "chat", **chat.get("attributes", {})}  # type: ignore[dict-item]
        made = Made(9, attributes, 1, events=chat.get("events", ()))  # type: ignore[arg-type]
        found = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": json.dumps(DOCUMENTS)}
        sample = read(Made(1, {"gen_ai.operation.name": "invoke_agent"}), Made(2, found, 1), made)
        assert (sample.question, sample.answer) == (QUESTION, ANSWER)

    def test_a_tool_is_no_retrieval_and_an_unknown_operation_no_kind(self) -> None:
        tool = Made(2, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": json.dumps(DOCUMENTS)}, 1)
        sample = read(Made(1, {"gen_ai.operation.name": "dance"}), tool)
        assert sample.readiness is Readiness.NO_RETRIEVAL
        assert "operator rule" in sample.reason

    def test_inserts_into_a_vector_store_are_no_retrieval(self) -> None:
        assert read(Made(1, {"gen_ai.operation.name": "vectordb"})).readiness is Readiness.NO_RETRIEVAL


def test_azures_retriever_is_a_tool_of_that_type() -> None:
    found = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.type": "retriever",
        "gen_ai.retriever.query": QUESTION,
        "gen_ai.retriever.results": json.dumps([{"metadata": {"source": "refunds.md"}, "content": REFUNDS}]),
    }
    chat = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": said(ANSWER)}
    sample = read(Made(1, {"gen_ai.operation.name": "invoke_agent"}), Made(2, found, 1), Made(9, chat, 1))
    assert (sample.question, texts(sample), sample.answer) == (QUESTION, [REFUNDS], ANSWER)
    assert sample.chunks[0].source == "refunds.md"
    hidden = {**found, "gen_ai.retriever.results": "[redacted]", "gen_ai.retriever.query": "[redacted]"}
    sample = read(Made(1, {"gen_ai.operation.name": "invoke_agent"}), Made(2, hidden, 1), Made(9, chat, 1))
    assert (sample.readiness, sample.question) == (Readiness.NO_TEXT, None)


def test_spring_ais_vector_stores_are_read_and_their_inserts_are_not() -> None:
    quoted = f'["He said "{REFUNDS}", twice", "{SHIPPING}"]'
    for documents, expected in (
        (quoted, [f'He said "{REFUNDS}", twice', SHIPPING]),
        (json.dumps([REFUNDS, SHIPPING]), [REFUNDS, SHIPPING]),
    ):
        found = {
            "spring.ai.kind": "vector_store",
            "db.operation.name": "query",
            "db.vector.query.content": QUESTION,
            "db.vector.query.response.documents": documents,
        }
        sample = read(
            Made(1, {"spring.ai.kind": "chat_client", "gen_ai.operation.name": "framework"}), Made(2, found, 1)
        )
        assert (sample.question, texts(sample)) == (QUESTION, expected)
    added = Made(1, {"spring.ai.kind": "vector_store", "db.operation.name": "add"})
    assert read(added).readiness is Readiness.NO_RETRIEVAL


def test_dify_and_loongsuite_have_a_kind_of_their_own() -> None:
    dify = [{"content": REFUNDS, "metadata": {"document_id": "a", "score": 0.9}}, {"document": {"content": SHIPPING}}]
    sample = read(
        Made(
            1, {"gen_ai.span.kind": "CHAIN", "input.value": QUESTION, "output.value": ANSWER, "gen_ai.session.id": "s"}
        ),
        Made(
            2,
            {
                "gen_ai.span.kind": "RETRIEVER",
                "gen_ai.operation.name": "retrieve",
                "retrieval.query": "refund period",
                "retrieval.document": json.dumps(dify),
            },
            1,
        ),
        Made(9, {"gen_ai.span.kind": "LLM", "gen_ai.completion": ANSWER}, 1),
    )
    assert (sample.question, sample.answer, sample.session) == (QUESTION, ANSWER, "s")
    assert pairs(sample) == [(REFUNDS, "a"), (SHIPPING, None)]


def test_trulens_rerankings_tell_what_the_model_saw() -> None:
    prefix = "ai.observability."
    sample = read(
        Made(
            1,
            {
                f"{prefix}span_type": "record_root",
                f"{prefix}record_root.input": QUESTION,
                f"{prefix}record_root.output": ANSWER,
            },
        ),
        Made(2, {f"{prefix}span_type": "retrieval", f"{prefix}retrieval.retrieved_contexts": [REFUNDS, SHIPPING]}, 1),
        Made(3, {f"{prefix}span_type": "reranking", f"{prefix}reranking.output_context_texts": [SHIPPING]}, 1),
        Made(4, {f"{prefix}span_type": "eval_root"}, 1),
    )
    assert (texts(sample), sample.answer) == ([SHIPPING], ANSWER)


def test_ai_sdk_rerankings_name_documents_by_position() -> None:
    found = {"openinference.span.kind": "RETRIEVER", "output.value": json.dumps([REFUNDS, SHIPPING, WARRANTY])}
    ranked = {
        "ai.operationId": "ai.rerank",
        "ai.documents": [json.dumps(text) for text in (REFUNDS, SHIPPING, WARRANTY)],
        "ai.ranking": [
            json.dumps({"index": 2, "relevanceScore": 0.9}),
            json.dumps({"index": 0, "relevanceScore": 0.2}),
        ],
    }
    sample = read(chain(), Made(2, found, 1), Made(3, ranked, 1), model())
    assert [(chunk.text, chunk.score) for chunk in sample.chunks] == [(WARRANTY, 0.9), (REFUNDS, 0.2)]


def test_vector_stores_events_are_hits_and_distances_are_turned_round() -> None:
    hit = {"db.query.result.id": "a", "db.query.result.distance": 0.25, "db.query.result.document": REFUNDS}
    pinecone = {
        "db.query.result.id": "b",
        "db.query.result.score": 0.7,
        "db.query.result.metadata": json.dumps({"text": SHIPPING}),
    }
    root = Made(1, {"traceloop.span.kind": "workflow", "traceloop.entity.input": json.dumps({"args": [QUESTION]})})
    query = {"db.system": "chroma", "db.operation": "query"}
    sample = read(root, Made(2, query, 1, events=[("db.query.result", hit), ("db.query.result", pinecone)]))
    assert [(chunk.id, chunk.text, chunk.score) for chunk in sample.chunks] == [
        ("a", REFUNDS, -0.25),
        ("b", SHIPPING, 0.7),
    ]
    hidden = read(root, Made(2, query, 1))
    assert (hidden.readiness, "TRACELOOP_TRACE_CONTENT" in hidden.reason) == (Readiness.NO_TEXT, True)


def test_haystack_joiners_and_rankers_stand_for_what_they_were_given() -> None:
    def component(number: int, name: str, path: str, asked: object, said: object) -> Made:
        return Made(
            number,
            {
                "haystack.component.type": name,
                "haystack.component.fully_qualified_type": f"haystack.components.{path}.x.{name}",
                "haystack.component.input": json.dumps(asked),
                "haystack.component.output": json.dumps(said),
            },
            1,
        )

    both = {"documents": [{"id": "b", "content": SHIPPING}, {"id": "a", "content": REFUNDS}]}
    sample = read(
        Made(1, {"haystack.pipeline.input_data": json.dumps({"embedder": {"text": QUESTION}})}),
        component(2, "InMemoryBM25Retriever", "retrievers", {"query": QUESTION}, {"documents": [DOCUMENTS[0]]}),
        component(
            3, "InMemoryEmbeddingRetriever", "retrievers", {"query_embedding": [0.1]}, {"documents": [DOCUMENTS[1]]}
        ),
        component(4, "DocumentJoiner", "joiners", {}, both),
        component(
            5, "ChatPromptBuilder", "builders", {}, {"prompt": [{"role": "user", "content": [{"text": REFUNDS}]}]}
        ),
        component(
            6,
            "OpenAIChatGenerator",
            "generators",
            {},
            {"replies": [{"role": "assistant", "content": [{"text": ANSWER}]}]},
        ),
    )
    assert pairs(sample) == [(SHIPPING, "b"), (REFUNDS, "a")]
    assert (sample.question, sample.answer) == (QUESTION, ANSWER)


def test_mlflows_quoted_kinds_and_capital_operations_are_read() -> None:
    sample = read(
        Made(1, {"gen_ai.operation.name": "CHAIN", "metadata": '{"session_id": "s-1", "user_id": "u-1"}'}),
        Made(2, {"gen_ai.operation.name": "RETRIEVER"}, 1),
        Made(9, {"gen_ai.operation.name": "chat", "gen_ai.output.messages": said(ANSWER)}, 1),
    )
    assert (sample.readiness, sample.answer, sample.session, sample.user) == (Readiness.NO_TEXT, ANSWER, "s-1", "u-1")
    assert "MLFLOW_ENABLE_OTEL_GENAI_SEMCONV" in sample.reason


def test_google_adk_and_early_pydantic_ai_have_contents_of_their_own() -> None:
    response = json.dumps({"content": {"parts": [{"text": ANSWER}], "role": "model"}})
    agent = Made(1, {"gen_ai.operation.name": "invoke_agent"})
    adk = Made(9, {"gen_ai.operation.name": "chat", "gcp.vertex.agent.llm_response": response}, 1)
    found = Made(2, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": [REFUNDS]}, 1)
    assert read(agent, found, adk).answer == ANSWER
    run = Made(1, {"agent_name": "rag", "final_result": ANSWER, "gen_ai.usage.input_tokens": 1})
    assert read(run, found).answer == ANSWER


def test_langsmiths_kind_wins_over_its_genai_operation() -> None:
    attributes = {
        "langsmith.span.kind": "prompt",
        "gen_ai.operation.name": "chat",
        "gen_ai.completion": '{"output": "x y"}',
    }
    prompt = Made(8, attributes, 1)
    root = Made(1, {"langsmith.span.kind": "chain", "gen_ai.prompt": json.dumps({"input": QUESTION})})
    assert read(root, retriever(2, REFUNDS), prompt).answer is None


def test_several_dialects_of_one_trace_are_merged() -> None:
    root = Made(1, {"langfuse.observation.type": "span", "langfuse.observation.input": QUESTION, "session.id": "s-1"})
    chat = {
        "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": said(ANSWER),
    }
    sample = read(root, retriever(2, REFUNDS), Made(9, chat, 1))
    assert sample.dialects == ("openinference", "langfuse", "otel_genai")
    assert (sample.question, texts(sample), sample.answer, sample.session) == (QUESTION, [REFUNDS], ANSWER, "s-1")


def test_a_generic_observation_leaves_the_kind_to_the_next_dialect() -> None:
    both = {**retriever(2, REFUNDS).attributes, "langfuse.observation.type": "span", "langfuse.environment": "prod"}
    assert texts(read(chain(), Made(2, both, 1), model())) == [REFUNDS]


@pytest.mark.parametrize(
    ("root", "resource", "reason"),
    [
        (
            {"langfuse.observation.type": "span", "langfuse.environment": "langfuse-llm-as-a-judge"},
            {},
            "environment langfuse-llm-as-a-judge",
        ),
        ({"openinference.span.kind": "CHAIN", "metadata": '{"monitor": false}'}, {}, "monitor=false"),
        ({"openinference.span.kind": "CHAIN", "langfuse.trace.metadata.monitor": "false"}, {}, "monitor=false"),
        ({"openinference.span.kind": "EVALUATOR"}, {}, "an evaluation run"),
        ({"ai.observability.span_type": "eval_root"}, {}, "an evaluation run"),
        ({"openinference.span.kind": "CHAIN"}, {"openinference.project.name": "playground"}, "project playground"),
        ({"langsmith.span.kind": "chain", "langsmith.metadata.reference_example_id": "x"}, {}, "an experiment"),
        ({"confident.span.type": "agent", "confident.trace.test_case_id": "x"}, {}, "a test run"),
    ],
)
def test_traffic_that_is_not_the_applications_own_is_excluded(
    root: dict[str, object], resource: dict[str, str], reason: str
) -> None:
    sample = read(Made(1, root, resource=Resource("shop", resource)), retriever(2, REFUNDS))
    assert sample.excluded == reason


def test_ordinary_traffic_is_not_excluded() -> None:
    assert read(chain(), retriever(2, REFUNDS), model()).excluded is None
    assert read(Made(1, {"openinference.span.kind": "CHAIN", "monitor": True})).excluded is None


def test_the_monitors_own_spans_are_excluded() -> None:
    own = Made(1, {"openinference.span.kind": "LLM"}, resource=Resource("groundwatch", {}))
    assert read(own).excluded == "the monitor's own spans"


def test_a_service_without_a_name_goes_by_its_project() -> None:
    unnamed = Resource("unknown_service:python", {"openinference.project.name": "shop-rag"})
    assert read(chain(resource=unnamed)).service == "shop-rag"
    trulens = Made(
        1,
        {"ai.observability.span_type": "record_root", "ai.observability.app_name": "rag"},
        resource=Resource("unknown_service", {}),
    )
    assert read(trulens).service == "rag"


def test_facts_to_slice_by_are_few_and_short() -> None:
    facts = {"openinference.span.kind": "LLM", "llm.model_name": "m" * 500, "llm.prompt_template.version": "v7"}
    sample = read(
        Made(1, facts, resource=Resource("shop", {"deployment.environment.name": "prod", "host.name": "h1"})),
    )
    assert sample.attributes == {
        "deployment.environment": "prod",
        "gen_ai.prompt.version": "v7",
        "gen_ai.request.model": "m" * 128,
    }


@pytest.mark.parametrize(("at", "end", "duration"), [(0, 250, 0.25), (250, 0, None), (0, 10**9, None)])
def test_durations_are_those_of_the_root_where_its_clock_makes_sense(at: int, end: int, duration: float | None) -> None:
    assert read(chain(at=at, end=end)).duration_s == duration
