"""Rows 16 to 19: bodies around and over the limit."""

import asyncio
import gzip
from collections.abc import AsyncIterator

import grpc
import pytest

from tests.otlp import MIB, PROTOBUF, GrpcSender, HttpSender, attribute, body, receiving, span

LIMIT = 100_000


HEAD = f"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: {PROTOBUF}\r\n"


def _body_of(size: int) -> bytes:
    padding = size
    while (excess := len(body(span(attributes=[attribute("text", "x" * padding)]))) - size) > 0:
        padding -= excess
    return body(span(attributes=[attribute("text", "x" * padding)]))


async def test_a_body_announced_too_long_is_refused_before_it_comes() -> None:
    async with receiving("http", max_body_bytes=LIMIT) as bench:
        reader, writer = await asyncio.open_connection("127.0.0.1", bench.receiver.port)
        writer.write((HEAD + "Content-Length: 99999999\r\n\r\n").encode())
        assert b"413" in await asyncio.wait_for(reader.readline(), 5)
        writer.close()
        assert bench.rejected("too_large") == 1


async def test_a_chunked_body_is_refused_as_soon_as_it_is_too_long() -> None:
    async with receiving("http", max_body_bytes=LIMIT) as bench:
        reader, writer = await asyncio.open_connection("127.0.0.1", bench.receiver.port)
        writer.write((HEAD + "Transfer-Encoding: chunked\r\n\r\n").encode())
        for _ in range(11):
            writer.write(b"2710\r\n" + bytes(10_000) + b"\r\n")
        head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)).lower()
        assert b" 413 " in head
        assert b"connection: close" in head
        writer.write_eof()
        assert await asyncio.wait_for(reader.read(), 5) is not None
        writer.close()


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("packed", [False, True])
async def test_the_limit_itself_is_allowed_and_one_byte_more_is_not(chunked: bool, packed: bool) -> None:
    async def pieces(data: bytes) -> AsyncIterator[bytes]:
        for at in range(0, len(data), 30_000):
            yield data[at : at + 30_000]

    headers = {"Content_Encoding": "gzip"} if packed else {}
    async with receiving("http", max_body_bytes=LIMIT) as bench:
        assert isinstance(bench.sender, HttpSender)
        for size, status in ((LIMIT, 200), (LIMIT + 1, 413)):
            plain = _body_of(size)
            assert len(plain) == size
            data = gzip.compress(plain) if packed else plain
            answer = await bench.sender.send(pieces(data) if chunked else data, **headers)  # type: ignore[arg-type]
            assert answer.http == status


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
async def test_a_grpc_message_over_the_limit_is_exhausting_and_not_retryable(compression: grpc.Compression) -> None:
    async with receiving("grpc", max_body_bytes=LIMIT) as bench:
        sender = GrpcSender(bench.receiver.port, compression=compression)
        assert (await sender.send(_body_of(LIMIT))).code == "OK"
        answer = await sender.send(_body_of(LIMIT + 1))
        assert (answer.code, answer.retry_after) == ("RESOURCE_EXHAUSTED", None)
        await sender.aclose()


@pytest.mark.parametrize("transport", ["grpc", "http"])
async def test_a_message_above_the_default_of_grpc_is_taken(transport: str) -> None:
    async with receiving(transport) as bench:
        assert (await bench.sender.send(_body_of(10 * MIB))).code == "OK"
        assert len(bench.sink.spans) == 1
