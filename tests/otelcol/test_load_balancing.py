"""Collectors with load-balancing.yaml before several groundwatch replicas."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from collector.config import ReceiversConfig
from collector.receivers.settings import ReceiverSettings
from collector.service import Service
from tests.collector.test_service import config, running
from tests.deploy.replay import post
from tests.fakes import OtlpBackend
from tests.kafka.topics import spans_of, trace_id
from tests.otelcol.collector import Endpoints, otel_collector
from tests.servers import free_port, until

TRACES = range(1, 41)
RESOLVER = "exporters::load_balancing::resolver"


def balanced(folder: Path, ports: Sequence[int]) -> AbstractAsyncContextManager[Endpoints]:
    """Replicas in one place differ by port, which no name tells: a list stands for the headless service's addresses."""
    hosts = ", ".join(f'"127.0.0.1:{port}"' for port in ports)
    overrides = f"{RESOLVER}::dns: null", f"{RESOLVER}::static::hostnames: [{hosts}]"
    return otel_collector(folder, "load-balancing", *overrides, GROUNDWATCH_HEADLESS="localhost")


def replica(port: int) -> AbstractAsyncContextManager[Service]:
    return running(config(receivers=ReceiversConfig(grpc=ReceiverSettings(port=port), http=None)))


def judged(service: Service) -> dict[str, int]:
    """The chunks of each trace that has a verdict."""
    found = {}
    for record in service.store.recent(10_000):
        for assessment in record.assessments.values():
            found[record.trace_id] = len(assessment.sample.chunks)
    return found


async def test_all_spans_of_a_trace_come_to_one_replica_whichever_collector_they_pass(tmp_path: Path) -> None:
    ports = free_port(), free_port()
    async with (
        replica(ports[0]) as one,
        replica(ports[1]) as two,
        balanced(tmp_path, ports) as left,
        balanced(tmp_path, ports[::-1]) as right,
    ):
        for number in TRACES:
            await asyncio.to_thread(post, left.http, spans_of(number, parts="retrieval"))
            await asyncio.to_thread(post, right.http, spans_of(number, parts="second root"))
        await until(lambda: len(judged(one)) + len(judged(two)) >= len(TRACES), 20)
        halves = judged(one), judged(two)
    assert not set(halves[0]) & set(halves[1])
    assert halves[0] | halves[1] == {trace_id(number).hex(): 2 for number in TRACES}
    assert min(map(len, halves)) > len(TRACES) // 5


async def test_what_a_replica_that_is_gone_did_not_take_goes_to_it_when_it_is_back(tmp_path: Path) -> None:
    ports = free_port(), free_port()
    async with OtlpBackend(ports[0]) as one, balanced(tmp_path, ports) as collector:
        for number in TRACES:
            assert await asyncio.to_thread(post, collector.http, spans_of(number)) == 200
        await until(lambda: one.spans)
        assert len({span.trace_id for span in one.spans}) < len(TRACES)
        async with OtlpBackend(ports[1]) as two:
            await until(lambda: {span.trace_id for span in [*one.spans, *two.spans]} == set(map(trace_id, TRACES)), 20)
    assert not {span.trace_id for span in one.spans} & {span.trace_id for span in two.spans}


async def test_replicas_are_found_by_name_as_shipped(tmp_path: Path) -> None:
    async with OtlpBackend() as groundwatch:
        port = groundwatch.address.rpartition(":")[2]
        override = f'{RESOLVER}::dns::port: "{port}"'
        async with otel_collector(tmp_path, "load-balancing", override, GROUNDWATCH_HEADLESS="127.0.0.1") as collector:
            assert await asyncio.to_thread(post, collector.http, spans_of(1)) == 200
            await until(lambda: groundwatch.spans)
    assert "deprecated" not in collector.log.read_text()
