"""A Collector with fan-out.yaml, between applications, their backend, and groundwatch."""

import asyncio
import gzip
import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from alerts.evidence.document import trace_document
from collector.assembler import AssemblySettings
from collector.service import Service
from tests.bench.traffic import BATCH_SPANS, mixed_fleet
from tests.collector.test_service import config, running, value
from tests.deploy.replay import CAPTURES, post
from tests.fakes import OtlpBackend
from tests.otelcol.collector import Endpoints, otel_collector
from tests.otlp import MARKER, ROOT_ID, attribute, body, span
from tests.servers import free_port, until


def fan_out(folder: Path, backend: str, groundwatch: str) -> AbstractAsyncContextManager[Endpoints]:
    return otel_collector(folder, "fan-out", BACKEND_ENDPOINT=backend, GROUNDWATCH_ENDPOINT=groundwatch)


def address(service: Service) -> str:
    return f"127.0.0.1:{service.receivers['grpc'].port}"


def is_settled(service: Service) -> bool:
    """Whether every trace that came is closed, and judged if it is to be."""
    records = service.store.recent(10_000)
    if not records or service._assembler.open_traces:
        return False
    return all(one.assessments or one.decisions[-1].decision != "queued" for one in records)


def verdicts(service: Service) -> dict[str, object]:
    """All that is known of each trace, but for times."""
    found: dict[str, object] = {}
    for record in service.store.recent(10_000):
        document: dict[str, Any] = trace_document(record)
        for one in (*document["decisions"], *document["assessments"]):
            one.update(at=None, age_s=None, cached=None)
        found[record.trace_id] = document | {"at": None}
    return found


async def test_every_verdict_is_the_one_on_everything_though_most_ordinary_spans_are_dropped(tmp_path: Path) -> None:
    bodies = [*(file.read_bytes() for file in sorted(CAPTURES.rglob("*.pb"))), mixed_fleet(0)]
    given = config(assembly=AssemblySettings(grace_s=1.5, idle_s=4.0))
    async with (
        running(given) as everything,
        running(given) as filtered,
        fan_out(tmp_path, address(everything), address(filtered)) as collector,
    ):
        for one in bodies:
            assert await asyncio.to_thread(post, collector.http, one) == 200
        sent = sum(len(spans_in(one)) for one in bodies)
        await until(lambda: received(everything) == sent and is_settled(everything) and is_settled(filtered), 30)
        assert verdicts(filtered) == verdicts(everything)
        assert sum(bool(record.assessments) for record in filtered.store.recent(10_000)) > 80
        assert received(filtered) < sent - 400


def received(service: Service) -> float:
    return value(service, 'groundwatch_spans_received_total{receiver="otlp_grpc"}')


def spans_in(sent: bytes) -> list[Span]:
    raw = gzip.decompress(sent) if sent.startswith(b"\x1f\x8b") else sent
    scopes = (scope for one in ExportTraceServiceRequest.FromString(raw).resource_spans for scope in one.scope_spans)
    return [one for scope in scopes for one in scope.spans]


def texts(**attributes: str) -> list[KeyValue]:
    """Attributes, their names with two underscores for a dot."""
    return [attribute(name.replace("__", "."), text) for name, text in attributes.items()]


HIT = Span.Event(name="db.query.result", attributes=texts(db__query__result__document="Within 30 days."))
KEPT: dict[str, dict[str, Any]] = {
    "a retrieval without its kind": {"attributes": texts(retrieval__documents__0__document__content="30 days")},
    "hits of a vector store": {"attributes": texts(db__system="Pinecone"), "events": [HIT]},
    "a query without hits": {"attributes": texts(db__system="chroma", db__operation="query")},
    "a request of a vector store": {"attributes": texts(db__chroma__query__n_results="4")},
    "a model call without operation": {"attributes": texts(gen_ai__request__model="m", llm__request__type="chat")},
    "a workflow": {"attributes": texts(traceloop__workflow__name="rag")},
    "context in metadata": {"attributes": texts(metadata=json.dumps({"retrievalContext": ["30 days"]}))},
    "a call of the AI SDK": {"attributes": texts(ai__operationId="ai.generateText")},
}
DROPPED: dict[str, dict[str, Any]] = {
    "a request": {"attributes": texts(http__request__method="GET", url__path="/orders")},
    "a query of a database": {"attributes": texts(db__system="postgresql", db__statement="SELECT 1")},
    "no attributes": {},
}


async def test_the_filter_keeps_roots_and_whatever_bears_a_mark_and_the_backend_gets_all(tmp_path: Path) -> None:
    root = span(1, marked=False, name="root", span_id=ROOT_ID, parent_span_id=b"")
    children = [span(n, marked=False, name=name, **rest) for n, (name, rest) in enumerate((KEPT | DROPPED).items(), 2)]
    async with (
        OtlpBackend() as backend,
        OtlpBackend() as groundwatch,
        fan_out(tmp_path, backend.address, groundwatch.address) as collector,
    ):
        assert await asyncio.to_thread(post, collector.http, body(root, *children)) == 200
        await until(lambda: backend.spans and groundwatch.spans)
    assert [one.name for one in backend.spans] == ["root", *KEPT, *DROPPED]
    assert [one.name for one in groundwatch.spans] == ["root", *KEPT]
    assert [one.events for one in backend.spans] == [one.events for one in (root, *children)]
    assert "deprecated" not in collector.log.read_text()


async def test_the_backend_gets_everything_while_groundwatch_is_down(tmp_path: Path) -> None:
    async with OtlpBackend() as backend, fan_out(tmp_path, backend.address, f"127.0.0.1:{free_port()}") as collector:
        for seed in range(8):
            assert await asyncio.to_thread(post, collector.http, mixed_fleet(seed)) == 200
        await until(lambda: len(backend.spans) == 8 * BATCH_SPANS)


async def test_spans_wait_in_the_collector_until_groundwatch_is_up(tmp_path: Path) -> None:
    port = free_port()
    async with OtlpBackend() as backend, fan_out(tmp_path, backend.address, f"127.0.0.1:{port}") as collector:
        assert await asyncio.to_thread(post, collector.http, mixed_fleet(0)) == 200
        await until(lambda: backend.spans)
        async with OtlpBackend(port) as groundwatch:
            await until(lambda: groundwatch.spans, 20)
    kept = [
        one.span_id
        for one in spans_in(mixed_fleet(0))
        if not one.parent_span_id or MARKER in {pair.key for pair in one.attributes}
    ]
    assert {one.span_id for one in groundwatch.spans} == set(kept)
