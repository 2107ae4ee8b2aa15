import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Literal

import grpc
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import (
    LogsServiceServicer,
    add_LogsServiceServicer_to_server,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pydantic import ValidationError

from alerts.exposition import Metrics
from alerts.writeback.counting import CAPACITY
from alerts.writeback.exporter import WriteBack
from alerts.writeback.results import results_of
from alerts.writeback.settings import WriteBackSettings
from evaluators.evaluation import Assessment, FailReason, SkipReason
from tests.alerts.engines import series
from tests.fakes import FakeClock, ReceiverStub, StubReply
from tests.verdicts import contradicted, failed, good, skipped, trace_id

SPAN = "00f067aa0ba902b7"
Spans = Literal["none", "linked", "child"]


def judged(number: int = 7) -> Assessment:
    made = contradicted(number)
    return replace(made, sample=replace(made.sample, span_id=SPAN))


class Desk:
    """A write-back to a stub, and what the stub got."""

    def __init__(self, receiver: ReceiverStub, **settings: Any) -> None:
        self.metrics = Metrics(FakeClock())
        given = WriteBackSettings(**{"endpoint": receiver.url, "timeout": 0.5, **settings})
        self.write_back = WriteBack(given, "full", self.metrics, FakeClock())

    def count(self, kind: str, outcome: str) -> float | None:
        return series(self.metrics, "groundwatch_written_back_total", kind=kind, outcome=outcome)


@asynccontextmanager
async def desk(*script: StubReply, **settings: Any) -> AsyncIterator[tuple[Desk, ReceiverStub]]:
    async with ReceiverStub(*script) as receiver:
        one = Desk(receiver, **settings)
        yield one, receiver
        await asyncio.to_thread(one.write_back.stop, 1.5)


async def sent(*assessments: Assessment, **settings: Any) -> list[bytes]:
    async with desk(**settings) as (one, receiver):
        for assessment in assessments:
            one.write_back.observe(assessment)
    return receiver.bodies


def records(bodies: list[bytes]) -> list[Any]:
    requests = [ExportLogsServiceRequest.FromString(body) for body in bodies]
    return [r for one in requests for res in one.resource_logs for scope in res.scope_logs for r in scope.log_records]


def attributes(one: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in one.attributes}


async def test_a_result_is_a_log_event_with_the_ids_of_the_judged_span() -> None:
    faithfulness, hallucination = records(await sent(judged()))
    assert faithfulness.event_name == hallucination.event_name == "gen_ai.evaluation.result"
    assert faithfulness.trace_id.hex() == trace_id(7)
    assert faithfulness.span_id.hex() == SPAN
    told = attributes(faithfulness)
    assert told["gen_ai.evaluation.name"] == "faithfulness"
    assert told["gen_ai.evaluation.score.value"] == 0.0
    assert told["gen_ai.evaluation.score.label"] == "fail"
    assert told["gen_ai.evaluation.explanation"] == 'answer says "90 days", chunk refund-policy#1 says "30 days"'
    assert told["groundwatch.judge"] == "lexical"
    assert told["log.record.uid"] == judged().evaluations[0].id


async def test_a_good_answer_passes_and_needs_no_explanation() -> None:
    told = [attributes(one) for one in records(await sent(good(1)))]
    assert {one["gen_ai.evaluation.score.label"] for one in told} == {"pass"}
    assert not any("gen_ai.evaluation.explanation" in one for one in told)


async def test_a_failure_is_an_error_type_and_no_score() -> None:
    told = attributes(records(await sent(failed(1, FailReason.TIMEOUT)))[0])
    assert told["error.type"] == "timeout"
    assert "gen_ai.evaluation.score.value" not in told


def test_what_was_not_tried_is_not_sent() -> None:
    assert results_of(skipped(1, SkipReason.SAMPLED_OUT), "full") is None


def test_ids_are_the_same_whenever_it_is_told_again_and_others_for_a_later_verdict() -> None:
    first, again = results_of(judged(), "full"), results_of(judged(), "full")
    later = results_of(contradicted(7, revision=1), "full")
    assert first is not None
    assert later is not None
    assert first == again
    assert later.id != first.id


def test_without_the_root_the_retrieval_is_the_span_and_without_any_there_is_none() -> None:
    made = contradicted(1)
    chunks = tuple(replace(chunk, span_id="b7ad6b7169203331") for chunk in made.sample.chunks)
    by_chunk = results_of(replace(made, sample=replace(made.sample, chunks=chunks)), "full")
    bare = results_of(made, "full")
    assert by_chunk is not None
    assert bare is not None
    assert (by_chunk.span_id, bare.span_id) == (0xB7AD6B7169203331, 0)


def test_with_ids_only_no_content_leaves() -> None:
    results = results_of(judged(), "ids")
    assert results is not None
    assert results.events[0]["gen_ai.evaluation.explanation"] == "chunk refund-policy#1 contradicts the answer"


@pytest.mark.parametrize("spans", ["linked", "child"])
async def test_a_span_stands_beside_the_judged_one_or_links_to_it(spans: Spans) -> None:
    bodies = await sent(judged(), judged(), events=False, spans=spans)
    found = [
        (resource, span)
        for body in bodies
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    (resource, span), (_, again) = found
    assert attributes(resource.resource)["service.name"] == "groundwatch"
    assert (span.trace_id, span.span_id) == (again.trace_id, again.span_id)
    assert attributes(span)["groundwatch.score.faithfulness"] == 0.0
    assert [event.name for event in span.events] == ["gen_ai.evaluation.result"] * 2
    if spans == "child":
        assert (span.trace_id.hex(), span.parent_span_id.hex(), len(span.links)) == (trace_id(7), SPAN, 0)
    else:
        assert (span.links[0].trace_id.hex(), span.links[0].span_id.hex()) == (trace_id(7), SPAN)
        assert span.trace_id.hex() != trace_id(7)
        assert not span.parent_span_id


async def test_what_was_exported_is_counted_and_so_is_what_was_refused() -> None:
    async with desk() as (one, _):
        assert one.count("event", "exported") == 0.0
        one.write_back.observe(judged())
    assert one.count("event", "exported") == 2.0
    async with desk(StubReply(status=400)) as (one, _):
        one.write_back.observe(judged())
    assert (one.count("event", "failed"), one.count("event", "exported")) == (2.0, 0.0)


async def test_a_backend_that_hangs_costs_no_memory_and_no_time() -> None:
    async with desk(StubReply(delay_s=30.0), timeout=20.0) as (one, _):
        for number in range(CAPACITY // 2 + 100):
            one.write_back.observe(good(number))
        assert one.count("event", "dropped") == 200.0


async def test_it_speaks_grpc_too() -> None:
    taken: list[ExportLogsServiceRequest] = []

    class Logs(LogsServiceServicer):  # type: ignore[misc]
        async def Export(self, request: ExportLogsServiceRequest, context: object) -> ExportLogsServiceResponse:  # noqa: N802
            taken.append(request)
            return ExportLogsServiceResponse()

    server = grpc.aio.server()
    add_LogsServiceServicer_to_server(Logs(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    metrics = Metrics(FakeClock())
    settings = WriteBackSettings(endpoint=f"http://127.0.0.1:{port}", protocol="grpc", timeout=3.0)
    write_back = WriteBack(settings, "full", metrics, FakeClock())
    write_back.observe(judged())
    await asyncio.to_thread(write_back.stop, 3.0)
    await server.stop(None)
    assert {one.trace_id.hex() for one in records([request.SerializeToString() for request in taken])} == {trace_id(7)}
    assert series(metrics, "groundwatch_written_back_total", kind="event", outcome="exported") == 2.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"endpoint": "collector:4317"}, "is not a URL"),
        ({"endpoint": "http://c:4318", "events": False}, "nothing would be sent"),
        ({"endpoint": "http://c:4318", "headers_env": "GROUNDWATCH_NOT_SET"}, "GROUNDWATCH_NOT_SET is not set"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        WriteBackSettings.model_validate(settings)


def test_headers_come_from_the_environment_and_are_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKEND_HEADERS", "Authorization=Basic abc=, x-scope = team ")
    settings = WriteBackSettings(endpoint="http://c:4318", headers_env="BACKEND_HEADERS")
    assert settings.headers == {"authorization": "Basic abc=", "x-scope": "team"}
    assert "abc" not in repr(settings)
