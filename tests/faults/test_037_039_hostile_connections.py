"""Rows 37 to 39: slow, idle, and malformed connections."""

import asyncio
import contextlib
import time

import pytest

from tests.otlp import PROTOBUF, Bench, GrpcSender, body, receiving, span

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
HEAD = f"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: {PROTOBUF}\r\n".encode()


async def test_a_slow_body_is_timed_out_and_the_connection_closed() -> None:
    async with receiving("http", body_timeout_s=0.3) as bench:
        reader, writer = await _connect(bench)
        writer.write(HEAD + b"Content-Length: 1000\r\n\r\n")
        dripping = asyncio.ensure_future(_drip(writer))
        assert (await bench.sender.send(body(span()))).code == "OK"
        assert await _answer_and_close(reader) == b"HTTP/1.1 408 Request Timeout"
        dripping.cancel()
        assert bench.rejected("timeout") == 1
        writer.close()


@pytest.mark.parametrize("start", [b"POST /v1/tra", b"POST /v1/traces HTTP/1.1\r\nX-A: ", HEAD])
async def test_slow_headers_are_timed_out_and_the_connection_closed(start: bytes) -> None:
    async with receiving("http", header_timeout_s=0.3) as bench:
        reader, writer = await _connect(bench)
        writer.write(start)
        dripping = asyncio.ensure_future(_drip(writer))
        assert (await bench.sender.send(body(span()))).code == "OK"
        assert await _answer_and_close(reader) == b"HTTP/1.1 408 Request Timeout"
        dripping.cancel()
        writer.close()


async def test_an_idle_connection_is_closed_in_time() -> None:
    async with receiving("http", idle_timeout_s=0.3) as bench:
        reader, writer = await _connect(bench)
        data = body(span())
        writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % len(data) + data)
        started = time.monotonic()
        assert (await asyncio.wait_for(reader.read(), 10)).startswith(b"HTTP/1.1 200 ")
        assert 0.2 < time.monotonic() - started < 5
        writer.close()


async def test_a_thousand_idle_connections_leave_room_for_a_sender() -> None:
    async with receiving("http", max_connections=100) as bench:
        idle = [await _connect(bench) for _ in range(1000)]
        assert (await bench.sender.send(body(span()))).code == "OK"
        for _, writer in idle:
            writer.close()


async def test_a_ping_flood_ends_the_connection_of_the_flooder_alone() -> None:
    async with receiving("grpc") as bench:
        reader, writer = await _connect(bench)
        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00")
        ping = b"\x00\x00\x08\x06\x00\x00\x00\x00\x00" + bytes(8)
        ended = asyncio.ensure_future(reader.read())
        async with asyncio.timeout(20):
            while not ended.done():
                writer.write(ping * 10)
                await asyncio.sleep(0.01)
        assert b"too_many_pings" in ended.result()
        assert (await bench.sender.send(body(span()))).code == "OK"


@pytest.mark.parametrize(
    "headers",
    [
        b"X-Long: " + b"x" * 20_000,
        b"\r\n".join(b"X-%d: x" % number for number in range(300)),
        b"X-Bad\x00: x",
        b"no colon here",
        b" folded: x",
    ],
    ids=["long", "many", "control character", "no colon", "folded"],
)
async def test_bad_headers_are_refused(headers: bytes) -> None:
    async with receiving("http") as bench:
        assert await _status(bench, HEAD + headers + b"\r\nContent-Length: 0\r\n\r\n") in (400, 431)
        assert (await bench.sender.send(body(span()))).code == "OK"


SMUGGLED = b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5",
        b"Content-Length: 5\r\nContent-Length: 6",
        b"Content-Length: +5",
        b"Content-Length: 5, 5",
        b"Transfer-Encoding: xchunked",
        b"Transfer-Encoding: chunked, identity",
        b"Transfer-Encoding : chunked",
    ],
    ids=lambda framing: framing.decode().replace("\r\n", " + "),
)
async def test_a_body_framed_in_two_ways_is_refused_and_nothing_behind_it_is_read(framing: bytes) -> None:
    async with receiving("http") as bench:
        reader, writer = await _connect(bench)
        writer.write(HEAD + framing + b"\r\n\r\n0\r\n\r\n" + SMUGGLED)
        answer = await asyncio.wait_for(reader.read(), 10)
        assert b" 400 Bad Request" in answer.splitlines()[0]
        assert answer.count(b"HTTP/1.") == 1
        assert bench.sink.batches == []
        writer.close()


async def test_garbage_on_either_port_is_survived() -> None:
    for transport in ("grpc", "http"):
        async with receiving(transport) as bench:
            for garbage in (b"\x16\x03\x01\x02\x00\x01", b"\x00" * 1000, b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n\r\n"):
                _, writer = await _connect(bench)
                writer.write(garbage)
                writer.close()
            assert (await bench.sender.send(body(span()))).code == "OK"


async def test_large_metadata_is_refused_over_grpc() -> None:
    async with receiving("grpc") as bench:
        assert isinstance(bench.sender, GrpcSender)
        with pytest.raises(Exception, match="RESOURCE_EXHAUSTED"):
            await bench.sender.call(b"", metadata=[("x-long", "x" * 100_000)])
        assert (await bench.sender.send(body(span()))).code == "OK"


async def _connect(bench: Bench) -> Streams:
    return await asyncio.open_connection("127.0.0.1", bench.receiver.port)


async def _answer_and_close(reader: asyncio.StreamReader) -> bytes:
    """The status line, once the connection is closed; who still sends sees that as a reset."""
    async with asyncio.timeout(10):
        head = await reader.readuntil(b"\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            await reader.read()
    return head.splitlines()[0]


async def _drip(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x")
        await asyncio.sleep(0.05)


async def _status(bench: Bench, data: bytes) -> int:
    reader, writer = await _connect(bench)
    writer.write(data)
    line = await asyncio.wait_for(reader.readline(), 10)
    writer.close()
    return int(line.split()[1])
