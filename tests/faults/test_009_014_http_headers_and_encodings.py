"""Rows 9 to 14: media types, methods, paths and content encodings."""

import gzip

import pytest

from tests.otlp import JSON, PROTOBUF, HttpSender, as_json, body, receiving, request, span


@pytest.mark.parametrize(
    "content_type", ["application/x-protobuf; charset=utf-8", "Application/X-Protobuf;v=1", "application/x-protobuf "]
)
async def test_parameters_of_the_content_type_do_not_matter(content_type: str) -> None:
    async with receiving("http") as bench:
        assert (await _http(bench.sender).send(body(span()), content_type)).http == 200
        assert (await _http(bench.sender).send(as_json(request(span())), JSON + "; charset=utf-8")).http == 200


@pytest.mark.parametrize("content_type", [None, "text/plain", "application/grpc", "application/x-www-form-urlencoded"])
async def test_another_content_type_is_unsupported(content_type: str | None) -> None:
    async with receiving("http") as bench:
        answer = await _http(bench.sender).send(body(span()), content_type)
        assert answer.http == 415
        assert PROTOBUF in answer.message
        assert JSON in answer.message
        assert bench.rejected("unsupported_type") == 1


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_only_post_is_allowed(method: str) -> None:
    async with receiving("http") as bench:
        sender = _http(bench.sender)
        async with sender.session.request(method, sender.url, headers={"Content-Type": PROTOBUF}) as response:
            assert response.status == 405
            assert response.headers["Allow"] == "POST"


@pytest.mark.parametrize(
    "path", ["/v1/logs", "/v1/metrics", "/", "/v1/traces/", "/v1/../v1/logs", "/%2e%2e/etc/passwd"]
)
async def test_other_paths_are_not_found(path: str) -> None:
    async with receiving("http") as bench:
        answer = await _http(bench.sender).send(b"", url=f"http://127.0.0.1:{bench.receiver.port}{path}")
        assert (answer.http, answer.code) == (404, "NOT_FOUND")


@pytest.mark.parametrize("signal", ["logs.v1.LogsService", "metrics.v1.MetricsService"])
async def test_other_signals_are_unimplemented(signal: str) -> None:
    async with receiving("grpc") as bench:
        call = bench.sender._channel.unary_unary(f"/opentelemetry.proto.collector.{signal}/Export")
        with pytest.raises(Exception, match="UNIMPLEMENTED"):
            await call(b"")


async def test_gzip_is_decoded() -> None:
    async with receiving("http") as bench:
        packed = gzip.compress(body(span()))
        for encoding in ("gzip", "GZIP"):
            assert (await _http(bench.sender).send(packed, Content_Encoding=encoding)).http == 200
        packed_json = gzip.compress(as_json(request(span())))
        assert (await _http(bench.sender).send(packed_json, JSON, Content_Encoding="gzip")).http == 200
        assert len(bench.sink.spans) == 3


@pytest.mark.parametrize("encoding", ["zstd", "br", "deflate", "gzip, gzip", "x"])
async def test_another_encoding_is_refused_by_name(encoding: str) -> None:
    async with receiving("http") as bench:
        answer = await _http(bench.sender).send(body(span()), Content_Encoding=encoding)
        assert answer.http == 400
        assert "Content-Encoding must be gzip" in answer.message
        assert bench.rejected("unsupported_encoding") == 1
        assert bench.sink.batches == []


PACKED = gzip.compress(body(span()))


@pytest.mark.parametrize(
    "broken",
    [PACKED[:-1], PACKED[:10], b"", PACKED[:-8] + bytes(8), body(span()), PACKED + b"junk", PACKED + b"\x1f"],
    ids=["cut", "header only", "empty", "wrong checksum", "no gzip", "trailing junk", "one byte more"],
)
async def test_broken_gzip_is_bad_data(broken: bytes) -> None:
    async with receiving("http") as bench:
        answer = await _http(bench.sender).send(broken, Content_Encoding="gzip")
        assert (answer.http, answer.code) == (400, "INVALID_ARGUMENT")
        assert "gzip" in answer.message
        assert bench.sink.batches == []
        assert bench.rejected("decode_error") == 1


def _http(sender: object) -> HttpSender:
    assert isinstance(sender, HttpSender)
    return sender
