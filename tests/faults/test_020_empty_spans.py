"""Row 20: millions of empty spans in a small body."""

import sys

import pytest

from tests.otlp import MIB, GrpcSender, HttpSender
from tests.serving import served


def _framed(tag: bytes, data: bytes) -> bytes:
    size, out = len(data), bytearray(tag)
    while size > 0x7F:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes(out) + bytes([size]) + data


def _bombs(size: int) -> dict[str, bytes]:
    return {
        "spans": _framed(b"\x0a", _framed(b"\x12", b"\x12\x00" * (size // 2))),
        "scopes": _framed(b"\x0a", b"\x12\x00" * (size // 2)),
        "resources": b"\x0a\x00" * (size // 2),
        "unknown fields": b"\x78\x01" * (size // 2),
    }


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("transport", ["grpc", "http"])
@pytest.mark.parametrize("size", [4 * MIB - 64, 32 * MIB], ids=["4 MiB", "32 MiB"])
async def test_a_body_of_nothing_but_empty_parts_costs_little_memory(transport: str, size: int) -> None:
    with served() as server:
        sender = GrpcSender(server.ports["grpc"]) if transport == "grpc" else HttpSender(server.ports["http"])
        assert (await sender.send(b"")).code == "OK"
        for part, data in _bombs(size).items():
            before = server.rss()
            server.forget_peak()
            answer = await sender.send(data)
            assert answer.code == "INVALID_ARGUMENT", part
            assert server.peak_rss() - before <= (100 if size < 8 * MIB else 160) * MIB, part
            assert (await sender.send(b"")).code == "OK"
        await sender.aclose()
