"""What OTLP/HTTP has of its own."""

import asyncio
import contextlib
import gzip
import json

import pytest

from collector.receivers.bodies import Body, GzipBody, Pool
from collector.status import RefusedError
from evaluators.errors import RetryableError
from tests.otlp import JSON, MIB, PROTOBUF, Bench, HttpSender, as_json, body, receiving, request, span

LANGFUSE_PATH = "/api/public/otel/v1/traces"


async def test_the_path_of_langfuse_exporters_is_served() -> None:
    async with receiving("http") as bench:
        url = f"http://127.0.0.1:{bench.receiver.port}{LANGFUSE_PATH}"
        answer = await bench.sender.send(gzip.compress(body(span())), url=url, Content_Encoding="gzip")
        assert answer.code == "OK"
        assert len(bench.sink.spans) == 1


async def test_json_is_answered_in_json() -> None:
    async with receiving("http") as bench:
        answer = await bench.sender.send(as_json(request(span(1), span(2, trace_id=b"short"))), JSON)
        assert (answer.http, answer.rejected) == (200, 1)
        assert json.loads(answer.raw)["partialSuccess"]["rejectedSpans"] == "1"
        full = await bench.sender.send(as_json(request(span(1))), JSON)
        assert full.raw == b"{}"


async def test_json_over_its_own_limit_is_refused_before_it_is_read() -> None:
    async with receiving("http", max_json_bytes=2000) as bench:
        data = as_json(request(*(span(number) for number in range(1, 20))))
        assert (await bench.sender.send(data, JSON)).http == 413
        assert (await bench.sender.send(as_json(request(span(1))), JSON)).http == 200


async def test_large_json_is_decoded_while_the_loop_goes_on() -> None:
    async with receiving("http") as bench:
        data = as_json(request(*(span(number) for number in range(1, 10_000))))
        sending = asyncio.ensure_future(bench.sender.send(data, JSON))
        turns = 0
        while not sending.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert (await sending).code == "OK"
        assert len(bench.sink.spans) == 9999
        assert turns > 10


async def test_a_connection_is_used_again_after_a_refusal() -> None:
    async with receiving("http") as bench:
        reader, writer = await _connect(bench)
        for data, status in ((b"<html>", b"400"), (body(span()), b"200")):
            writer.write(_head(f"Content-Length: {len(data)}") + data)
            assert status in await reader.readline()
            await _skip_answer(reader)
        writer.close()


async def test_expect_100_continue_is_answered_before_the_body_comes() -> None:
    data = body(span())
    async with receiving("http") as bench:
        reader, writer = await _connect(bench)
        writer.write(_head(f"Content-Length: {len(data)}", "Expect: 100-continue"))
        assert await reader.readline() == b"HTTP/1.1 100 Continue\r\n"
        await reader.readline()
        writer.write(data)
        assert b"200" in await reader.readline()
        writer.close()


async def test_requests_sent_ahead_are_answered_in_order() -> None:
    data = body(span())
    async with receiving("http") as bench:
        reader, writer = await _connect(bench)
        writer.write((_head(f"Content-Length: {len(data)}") + data) * 5)
        for _ in range(5):
            assert b"200" in await reader.readline()
            await _skip_answer(reader)
        writer.close()
        assert len(bench.sink.spans) == 5


async def test_at_the_connection_limit_the_longest_idle_one_makes_room() -> None:
    async with receiving("http", max_connections=3) as bench:
        idle = [await _connect(bench) for _ in range(3)]
        await asyncio.sleep(0.05)
        assert (await bench.sender.send(body(span()))).code == "OK"
        assert await asyncio.wait_for(idle[0][0].read(), 5) == b""
        for _, writer in idle:
            writer.close()


async def test_with_every_connection_busy_a_new_one_is_closed_at_once() -> None:
    async with receiving("http", max_connections=2) as bench:
        busy = [await _connect(bench) for _ in range(2)]
        for _, writer in busy:
            writer.write(_head("Content-Length: 100") + b"x")
        await asyncio.sleep(0.1)
        reader, writer = await _connect(bench)
        with contextlib.suppress(ConnectionResetError):
            assert await asyncio.wait_for(reader.read(), 5) == b""
        for _, other in (*busy, (reader, writer)):
            other.close()


async def test_stop_closes_idle_connections() -> None:
    async with receiving("http") as bench:
        reader, writer = await _connect(bench)
        await asyncio.sleep(0.05)
        await bench.receiver.stop(5)
        assert await asyncio.wait_for(reader.read(), 5) == b""
        writer.close()


async def test_slow_bodies_of_many_do_not_slow_down_the_others() -> None:
    async with receiving("http", body_timeout_s=20) as bench:
        slow = [await _connect(bench) for _ in range(50)]
        for _, writer in slow:
            writer.write(_head("Content-Length: 5000") + b"x")
        answers = await asyncio.wait_for(
            asyncio.gather(*(bench.sender.send(body(span(number))) for number in range(1, 51))), 10
        )
        assert {answer.code for answer in answers} == {"OK"}
        for _, writer in slow:
            writer.close()


@pytest.mark.parametrize("chunk", [1, 999, 1 << 20])
@pytest.mark.parametrize("size", [0, 1000, 262_144, 600_000])
def test_gzip_in_any_pieces_and_members_is_read_whole(size: int, chunk: int) -> None:
    plain = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    packed = gzip.compress(plain) + gzip.compress(b"second")
    chunk = max(chunk, len(packed) // 2000)
    with GzipBody(MIB, Pool(MIB)) as collected:
        for at in range(0, len(packed), chunk):
            collected.add(packed[at : at + chunk])
        assert collected.finish() == plain + b"second"


def test_a_body_gives_its_share_of_the_pool_back() -> None:
    pool = Pool(1000)
    for limit in (100, 1000):
        with contextlib.suppress(RefusedError), Body(limit, pool) as collected:
            collected.add(bytes(600))
            with pytest.raises(RetryableError), Body(limit, pool) as other:
                other.add(bytes(401))
    assert pool.held == 0


async def test_when_all_bodies_together_are_too_many_senders_are_asked_to_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("collector.receivers.otlp_http.MAX_PENDING_BYTES", 3000)
    async with receiving("http") as bench:
        readers = [await _connect(bench) for _ in range(2)]
        for _, writer in readers:
            writer.write(_head("Content-Length: 5000") + bytes(1400))
        await asyncio.sleep(0.1)
        answer = await bench.sender.send(body(*(span(number) for number in range(1, 5))))
        assert (answer.http, answer.retry_after) == (503, 1)
        for _, writer in readers:
            writer.close()
        await asyncio.sleep(0.1)
        assert (await bench.sender.send(body(span()))).code == "OK"


async def _connect(bench: Bench) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    assert isinstance(bench.sender, HttpSender)
    return await asyncio.open_connection("127.0.0.1", bench.receiver.port)


def _head(*headers: str) -> bytes:
    lines = ["POST /v1/traces HTTP/1.1", "Host: test", f"Content-Type: {PROTOBUF}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _skip_answer(reader: asyncio.StreamReader) -> None:
    size = 0
    while (line := await reader.readline()) != b"\r\n":
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    await reader.readexactly(size)
