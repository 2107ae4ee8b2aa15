"""Rows 33 and 35, as the wire sees them: the same batch again, and senders that are gone before the answer."""

import asyncio
import struct

import pytest

from collector.assembler import Assembler, AssemblySettings
from collector.spans import ClosedTrace, SpanBatch
from tests.fakes import CountingMetrics, FakeClock
from tests.otlp import PROTOBUF, Bench, attribute, body, receiving, span


@pytest.mark.parametrize("transport", ["grpc", "http"])
async def test_a_batch_sent_again_after_a_lost_answer_counts_once(transport: str) -> None:
    clock, metrics, closed = FakeClock(), CountingMetrics(), list[ClosedTrace]()
    assembler = Assembler(AssemblySettings(), clock, metrics)

    def sink(batch: SpanBatch) -> None:
        closed.extend(assembler.add(batch))

    data = body(span(1), span(2), span(3, parent_span_id=b""))
    async with receiving(transport, sink=sink) as bench:
        for _ in range(3):
            assert (await bench.sender.send(data)).code == "OK"
        clock.advance(5)
        closed += assembler.tick()
        assert (await bench.sender.send(data)).code == "OK"
        clock.advance(600)
        closed += assembler.tick()
    assert [len(trace.spans) for trace in closed] == [3]
    assert metrics.count("spans_dropped", "duplicate") == 9


async def test_half_a_body_leaves_nothing_behind() -> None:
    data = body(span(1))
    async with receiving("http") as bench:
        await _send_and_vanish(bench, data[:-1], len(data))
        await _settle(bench)
        assert bench.sink.batches == []
        assert (await bench.sender.send(body(span(2)))).code == "OK"


async def test_a_whole_body_is_taken_though_its_sender_is_gone() -> None:
    data = body(span(1, attributes=[attribute("text", "x" * 1000)]))
    async with receiving("http") as bench:
        await _send_and_vanish(bench, data, len(data))
        async with asyncio.timeout(5):
            while not bench.sink.spans:  # noqa: ASYNC110  a real socket: no event tells
                await asyncio.sleep(0.01)
        assert len(bench.sink.spans) == 1


@pytest.mark.parametrize("round_", range(3))
async def test_a_grpc_sender_that_gives_up_does_no_harm(round_: int) -> None:
    data = body(*(span(number) for number in range(1, 2000)))
    async with receiving("grpc") as bench:
        call = bench.sender.call(data)
        await asyncio.sleep(round_ * 0.002)
        call.cancel()
        assert (await bench.sender.send(body(span(1)))).code == "OK"
        assert all(len(batch.spans) in (1, 1999) for batch in bench.sink.batches)


async def _send_and_vanish(bench: Bench, data: bytes, announced: int) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", bench.receiver.port)
    head = f"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: {PROTOBUF}\r\nContent-Length: {announced}\r\n\r\n"
    writer.write(head.encode() + data)
    await writer.drain()
    await asyncio.sleep(0.05)
    # Closing with a reset, as a killed process does.
    writer.get_extra_info("socket").setsockopt(1, 13, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _settle(bench: Bench) -> None:
    for _ in range(5):
        await bench.sender.send(b"")
        bench.sink.batches = [batch for batch in bench.sink.batches if batch.received]
