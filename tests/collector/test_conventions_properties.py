"""Whatever arrives, and in whatever order: a sample or a reason, never an exception, and always the same one."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.assembler import Assembler, AssemblySettings
from collector.codec import Codec
from collector.conventions.context_settings import ContextSettings
from collector.conventions.reader import TraceReader
from collector.conventions.registry import DIALECTS
from collector.conventions.rules import OperatorRule
from collector.spans import ClosedTrace, KeptSpan, Resource
from evaluators.sample import RagSample, Readiness
from tests.collector.handmade import TRACE_ID, Made
from tests.fakes import CountingMetrics, FakeClock

CAPTURES = Path(__file__).parent.parent / "captures"
READER = TraceReader()

KEYS = [
    *sorted({key for dialect in DIALECTS for key in dialect.keys if not key.startswith("*")}),
    "input.value",
    "output.value",
    "metadata",
    "session.id",
    "user.id",
    "retrievalContext",
    "monitor",
    "retrieval.documents",
    "retrieval.documents.0.document.content",
    "retrieval.documents.0.document.id",
    "retrieval.documents.7.document.content",
    "retrieval.documents.x.y",
    "retrieval.documents.",
    "retrieval.documents.1",
    "reranker.output_documents.0.document.content",
    "reranker.input_documents.0.document.id",
    "reranker.query",
    "llm.output_messages.0.message.content",
    "llm.output_messages.0.message.role",
    "llm.output_messages.0.message.contents.0.message_content.text",
    "llm.model_name",
    "llm.prompt_template.template",
    "embedding.embeddings.0.embedding.text",
    "gen_ai.retrieval.documents",
    "gen_ai.retrieval.query.text",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.prompt",
    "gen_ai.completion",
    "gen_ai.prompt.0.content",
    "gen_ai.completion.0.content",
    "gen_ai.tool.call.result",
    "traceloop.entity.input",
    "traceloop.entity.output",
    "langfuse.observation.input",
    "langfuse.observation.output",
    "mlflow.spanInputs",
    "mlflow.spanOutputs",
    "confident.span.input",
    "ai.observability.retrieval.retrieved_contexts",
    "db.operation",
    "ai.documents",
    "ai.ranking",
    "haystack.component.output",
    "db.vector.query.response.documents",
    "retrieval.document",
    "gen_ai.retriever.results",
]
KINDS = [
    "RETRIEVER",
    "RERANKER",
    "LLM",
    "AGENT",
    "EMBEDDING",
    "EVALUATOR",
    "TOOL",
    "retrieval",
    "chat",
    "execute_tool",
    "vector_db_retrieve",
    "generation",
    '"RETRIEVER"',
    "chroma",
    "query",
    "retriever",
    "vector_store",
    "ai.rerank",
    "workflow",
]
WORDS = st.sampled_from(
    ["a question?", "__REDACTED__", "{}", "[]", "<x object at 0x7f>", '{"a', "[[ ## answer ## ]]", "", "\ud7ff\x00"]
)
NAMES = st.sampled_from(
    [
        "documents",
        "content",
        "text",
        "id",
        "score",
        "messages",
        "role",
        "parts",
        "type",
        "kwargs",
        "args",
        "question",
        "answer",
        "output",
        "data",
        "node",
        "metadata",
        "choices",
        "x",
    ]
)
LEAVES = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | WORDS | st.sampled_from(KINDS) | st.text(max_size=20)
)
SOUP = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
VALUES = (
    SOUP.map(lambda value: value if not isinstance(value, float) else str(value))
    | SOUP.map(json.dumps)
    | st.binary(max_size=9)
)
ATTRIBUTES = st.dictionaries(st.sampled_from(KEYS), VALUES | st.sampled_from(KINDS), max_size=12)
EVENTS = st.lists(
    st.tuples(st.sampled_from(["db.query.result", "gen_ai.choice", "gen_ai.user.message", "exception"]), ATTRIBUTES),
    max_size=2,
)
SPANS = st.lists(
    st.builds(
        Made,
        number=st.integers(1, 9),
        attributes=ATTRIBUTES,
        parent=st.integers(0, 9),
        at=st.integers(0, 99),
        end=st.integers(0, 99),
        failed=st.booleans(),
        dropped=st.integers(0, 1),
        events=EVENTS,
    ),
    max_size=8,
)
RULES = (OperatorRule.model_validate({"match": {"name": "step"}}),)
OPEN = ContextSettings(from_prompt=True, agentic=True, max_chars_per_source=200)
READERS = (READER, TraceReader(RULES), TraceReader(settings=OPEN), TraceReader(RULES, OPEN))


def check(sample: RagSample) -> None:
    assert sample.reason
    assert isinstance(sample.readiness, Readiness)
    repr(sample).encode()
    for text in (sample.question, sample.answer, *(chunk.text for chunk in sample.chunks)):
        assert text is None or text.encode()
    if sample.readiness is Readiness.RAG:
        assert sample.question
        assert sample.answer
        assert sample.context


@settings(max_examples=150, deadline=None)
@given(SPANS, st.sampled_from(READERS))
@example([Made(1, {"openinference.span.kind": "CHAIN"}, 2), Made(2, {"openinference.span.kind": "CHAIN"}, 1)], READER)
@example([Made(1, {"openinference.span.kind": "RETRIEVER"}, 1)], READER)
def test_any_soup_of_attributes_gives_a_sample_or_a_reason(spans: list[Made], reader: TraceReader) -> None:
    kept = tuple(KeptSpan(span.raw(), Resource("shop", {})) for span in spans)
    check(reader.read(ClosedTrace(TRACE_ID, kept, "idle", 0.0)))


@given(st.lists(st.binary(max_size=40), max_size=4))
def test_bytes_that_are_no_span_are_counted_in_the_reason(raws: list[bytes]) -> None:
    kept = (*(KeptSpan(raw, Resource("shop", {})) for raw in raws), KeptSpan(b"\xff\xff", Resource("shop", {})))
    sample = READER.read(ClosedTrace(TRACE_ID, kept, "idle", 0.0))
    assert "could not be read" in sample.reason
    assert sample.incomplete


@settings(max_examples=60, deadline=None)
@given(SPANS, st.randoms(use_true_random=False), st.sampled_from(READERS))
def test_order_of_arrival_does_not_matter(spans: list[Made], chance: random.Random, reader: TraceReader) -> None:
    unique = [replace(span, number=number) for number, span in enumerate(spans, start=1)]
    shuffled = chance.sample(unique, len(unique))
    assert _read(unique, reader) == _read(shuffled, reader)


def _read(spans: list[Made], reader: TraceReader) -> RagSample:
    kept = tuple(KeptSpan(span.raw(), Resource("shop", {})) for span in spans)
    return reader.read(ClosedTrace(TRACE_ID, kept, "idle", 0.0))


def _requests() -> list[ExportTraceServiceRequest]:
    paths = [
        path for path in sorted(CAPTURES.rglob("*.pb")) if path.parent.name != "oi_langchain" or "-00" in path.name
    ]
    return [ExportTraceServiceRequest.FromString(path.read_bytes()) for path in paths]


REQUESTS = _requests()


def _assembled(bodies: list[bytes]) -> dict[str, RagSample]:
    assembler = Assembler(AssemblySettings(), FakeClock(), CountingMetrics())
    codec = Codec(READER.markers)
    for body in bodies:
        assembler.add(codec.decode(body))
    return {trace.trace_id.hex(): READER.read(trace) for trace in assembler.close_all()}


AS_SENT = _assembled([request.SerializeToString() for request in REQUESTS])


def _pieces(request: ExportTraceServiceRequest) -> list[bytes]:
    """Each span of the request in a request of its own."""
    pieces = []
    for resource_spans in request.resource_spans:
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                piece = ExportTraceServiceRequest()
                resource = piece.resource_spans.add(resource=resource_spans.resource)
                resource.scope_spans.add(scope=scope_spans.scope).spans.append(span)
                pieces.append(piece.SerializeToString())
    return pieces


@pytest.mark.parametrize("seed", range(4))
def test_splitting_shuffling_repeating_and_mixing_requests_changes_nothing(seed: int) -> None:
    chance = random.Random(seed)
    pieces = [piece for request in REQUESTS for piece in _pieces(request)]
    repeated = pieces + chance.sample(pieces, len(pieces) // 3)
    chance.shuffle(repeated)
    joined = []
    while repeated:
        size = min(len(repeated), chance.randint(1, 9))
        joined.append(b"".join(repeated.pop() for _ in range(size)))
    assert _assembled(joined) == AS_SENT
