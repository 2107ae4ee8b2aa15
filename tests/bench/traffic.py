"""Export requests as applications send them: a mixed fleet, and RAG alone."""

import os
import random
import re
from collections.abc import Callable

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ScopeSpans, Span

BATCH_SPANS = 512
CHUNKS = 5
CHUNK_CHARS = 1024
SPANS = 5
"""Of a RAG trace."""

_NOW_NS = 1_800_000_000_000_000_000
_WORDS = [
    "the",
    "a",
    "of",
    "to",
    "and",
    "in",
    "for",
    "with",
    "refund",
    "order",
    "support",
    "customer",
    "policy",
    "days",
    "return",
    "ship",
    "invoice",
    "account",
    "plan",
    "usage",
    "limit",
    "region",
    "device",
    "warranty",
    "contract",
    "request",
    "delivery",
    "address",
    "payment",
    "card",
    "status",
    "item",
    "label",
    "number",
    "change",
]

Attribute = tuple[str, str | int]


def mixed_fleet(seed: int) -> bytes:
    """512 spans of six services, 5% of them RAG; about 392 KB."""
    return _fleet(random.Random(f"mixed {seed}"), BATCH_SPANS * 5 // 100)


def no_rag(seed: int) -> bytes:
    """512 spans of six services, none of them RAG."""
    return _fleet(random.Random(f"none {seed}"), 0)


def _fleet(rng: random.Random, rag_spans: int) -> bytes:
    request = ExportTraceServiceRequest()
    services = [_scope(request, f"service-{number}", 90) for number in range(6)]
    for number in range(BATCH_SPANS - rag_spans):
        if number % 8 == 0:
            trace_id, parent_id = rng.randbytes(16), b""
        span = _span(services[number % 6], rng, trace_id, parent_id, "GET /api/orders/{id}", _ordinary(rng))
        parent_id = parent_id or span.span_id
    if rag_spans:
        _rag_traces(_scope(request, "support-bot", 90), rng, rag_spans, chunk_chars=400)
    return request.SerializeToString()


def rag_only(seed: int) -> bytes:
    """512 spans of one RAG application, every retrieval with 5 chunks of 1 KB; about 3.3 MB."""
    rng = random.Random(f"rag {seed}")
    request = ExportTraceServiceRequest()
    _rag_traces(_scope(request, "support-bot", 90), rng, BATCH_SPANS, chunk_chars=CHUNK_CHARS)
    return request.SerializeToString()


def rag_traces(rng: random.Random, traces: int) -> bytes:
    """Whole traces of that application, 5 spans and about 32 KB each."""
    request = ExportTraceServiceRequest()
    _rag_traces(_scope(request, "support-bot", 90), rng, traces * SPANS, chunk_chars=CHUNK_CHARS)
    return request.SerializeToString()


CORPORA: dict[str, Callable[[int], bytes]] = {"A": mixed_fleet, "B": rag_only, "C": no_rag}


class Renewable:
    """A request that can be sent any number of times, each time with trace ids of its own."""

    def __init__(self, body: bytes) -> None:
        parts = re.split(rb"(?<=\n\x10)(.{16})(?=\x12\x08)", body, flags=re.DOTALL)
        self._between, ids = parts[::2], parts[1::2]
        distinct = list(dict.fromkeys(ids))
        self._order = [distinct.index(trace_id) for trace_id in ids]
        self._traces = len(distinct)

    def renew(self) -> bytes:
        """The body with new trace ids."""
        fresh = [os.urandom(16) for _ in range(self._traces)]
        renewed = [self._between[0]]
        for index, between in zip(self._order, self._between[1:], strict=True):
            renewed += (fresh[index], between)
        return b"".join(renewed)


def _rag_traces(scope: ScopeSpans, rng: random.Random, spans: int, *, chunk_chars: int) -> None:
    """Traces of a retrieval chain, as LangChain's instrumentation writes them, children first; the last may be cut."""
    written = 0
    while written < spans:
        trace_id, root_id, answer_id = rng.randbytes(16), rng.randbytes(8), rng.randbytes(8)
        question, answer = _text(rng, 80), _text(rng, 400)
        chunks = [_text(rng, chunk_chars) for _ in range(CHUNKS)]
        prompt = "Answer from the context.\n\n" + "\n\n".join(chunks) + "\n\nQuestion: " + question
        steps = [
            (rng.randbytes(8), root_id, "VectorStoreRetriever", _retrieval(question, chunks)),
            (rng.randbytes(8), answer_id, "ChatPromptTemplate", _step("CHAIN", question, prompt)),
            (rng.randbytes(8), answer_id, "ChatOpenAI", _generation(prompt, answer)),
            (answer_id, root_id, "stuff_documents_chain", _step("CHAIN", prompt, answer)),
            (root_id, b"", "RetrievalQA", _step("CHAIN", question, answer)),
        ]
        for span_id, parent_id, name, attributes in steps[: spans - written]:
            _span(scope, rng, trace_id, parent_id, name, attributes).span_id = span_id
            written += 1


def _scope(request: ExportTraceServiceRequest, service: str, extra: int) -> ScopeSpans:
    resource_spans = request.resource_spans.add()
    resource_spans.resource.attributes.extend(
        _attributes(
            [
                ("telemetry.sdk.language", "python"),
                ("telemetry.sdk.name", "opentelemetry"),
                ("telemetry.sdk.version", "1.45.2"),
                ("service.name", service),
                ("service.version", "2026.11.3"),
                ("k8s.pod.name", f"{service}-7d9f6c7b9-{extra}x2x"),
                ("deployment.environment", "production"),
            ]
        )
    )
    scope = resource_spans.scope_spans.add()
    scope.scope.name = "opentelemetry.instrumentation"
    return scope


def _span(
    scope: ScopeSpans, rng: random.Random, trace_id: bytes, parent_id: bytes, name: str, attributes: list[Attribute]
) -> Span:
    start = _NOW_NS + rng.randrange(10**9)
    span = scope.spans.add(
        trace_id=trace_id,
        span_id=rng.randbytes(8),
        parent_span_id=parent_id,
        flags=256,
        name=name,
        kind=Span.SPAN_KIND_SERVER,
        start_time_unix_nano=start,
        end_time_unix_nano=start + rng.randrange(10**9),
        attributes=_attributes(attributes),
    )
    span.status.SetInParent()
    return span


def _attributes(pairs: list[Attribute]) -> list[KeyValue]:
    return [
        KeyValue(key=key, value=AnyValue(string_value=value) if isinstance(value, str) else AnyValue(int_value=value))
        for key, value in pairs
    ]


def _text(rng: random.Random, chars: int) -> str:
    words = []
    while chars > 0:
        words.append(rng.choice(_WORDS))
        chars -= len(words[-1]) + 1
    return " ".join(words)


def _ordinary(rng: random.Random) -> list[Attribute]:
    if rng.random() < 0.5:
        return [
            ("http.request.method", "GET"),
            ("http.route", "/api/orders/{id}"),
            ("http.response.status_code", 200),
            (
                "url.full",
                f"https://orders.internal/api/orders/{rng.randrange(10**9)}?page={rng.randrange(99)}&sort=desc",
            ),
            ("url.scheme", "https"),
            ("server.address", "orders.internal"),
            ("server.port", 8443),
            ("client.address", f"10.0.{rng.randrange(256)}.{rng.randrange(256)}"),
            ("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"),
            ("network.protocol.version", "1.1"),
            ("thread.id", rng.randrange(10**6)),
            ("thread.name", f"worker-{rng.randrange(64)}"),
            ("code.function", "com.example.orders.OrderController.find"),
            ("enduser.id", f"user-{rng.randrange(10**6)}"),
        ]
    return [
        ("db.system", "postgresql"),
        ("db.operation", "SELECT"),
        ("db.name", "orders"),
        ("db.user", "orders_rw"),
        (
            "db.statement",
            "SELECT id, status, total, currency FROM orders WHERE customer_id = $1 AND status <> $2 LIMIT 50",
        ),
        ("net.peer.name", "postgres-primary.internal"),
        ("net.peer.port", 5432),
        ("db.connection_string", "postgresql://postgres-primary.internal:5432/orders?sslmode=require"),
        ("db.response.returned_rows", rng.randrange(50)),
        ("thread.id", rng.randrange(10**6)),
        ("thread.name", f"worker-{rng.randrange(64)}"),
        ("code.function", "com.example.orders.OrderRepository.findByCustomer"),
        ("code.lineno", rng.randrange(900)),
        ("peer.service", "postgres"),
    ]


def _retrieval(question: str, chunks: list[str]) -> list[Attribute]:
    attributes: list[Attribute] = [("openinference.span.kind", "RETRIEVER"), ("input.value", question)]
    for rank, chunk in enumerate(chunks):
        attributes += [
            (f"retrieval.documents.{rank}.document.id", f"kb-{rank}"),
            (f"retrieval.documents.{rank}.document.content", chunk),
            (f"retrieval.documents.{rank}.document.metadata", '{"source": "handbook.md"}'),
        ]
    return attributes


def _generation(prompt: str, answer: str) -> list[Attribute]:
    return [
        ("openinference.span.kind", "LLM"),
        ("llm.model_name", "gpt-5-mini"),
        ("input.value", prompt),
        ("llm.input_messages.0.message.role", "user"),
        ("llm.input_messages.0.message.content", prompt),
        ("output.value", answer),
        ("llm.output_messages.0.message.role", "assistant"),
        ("llm.output_messages.0.message.content", answer),
        ("llm.token_count.total", 1400),
    ]


def _step(kind: str, given: str, produced: str) -> list[Attribute]:
    return [("openinference.span.kind", kind), ("input.value", given), ("output.value", produced)]
