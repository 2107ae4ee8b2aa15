"""Row 15: 1 MB of gzip that is 1 GiB of zeros."""

import sys

import pytest
from isal import isal_zlib

from tests.otlp import MIB, GrpcSender, HttpSender
from tests.serving import served

LIMIT = 64 * MIB


def _bomb() -> bytes:
    packer = isal_zlib.compressobj(1, isal_zlib.DEFLATED, 31)
    zeros = bytes(MIB)
    return b"".join(packer.compress(zeros) for _ in range(1024)) + packer.flush()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_gzip_bomb_is_refused_within_the_memory_of_the_limit() -> None:
    with served(max_body_bytes=LIMIT) as server:
        sender = HttpSender(server.ports["http"])
        assert (await sender.send(b"")).http == 200
        before = server.rss()
        server.forget_peak()
        answer = await sender.send(_bomb(), Content_Encoding="gzip")
        assert (answer.http, answer.code) == (413, "RESOURCE_EXHAUSTED")
        assert server.peak_rss() - before <= LIMIT + 10 * MIB
        assert (await sender.send(b"")).http == 200
        await sender.aclose()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_grpc_gzip_bomb_is_refused_within_the_memory_of_the_limit() -> None:
    import grpc

    with served(max_body_bytes=8 * MIB) as server:
        sender = GrpcSender(server.ports["grpc"], compression=grpc.Compression.Gzip)
        assert (await sender.send(b"")).code == "OK"
        before = server.rss()
        server.forget_peak()
        answer = await sender.send(bytes(256 * MIB))
        assert (answer.code, answer.retry_after) == ("RESOURCE_EXHAUSTED", None)
        assert server.peak_rss() - before <= 2 * 8 * MIB + 10 * MIB
        assert (await sender.send(b"")).code == "OK"
        await sender.aclose()
