"""Row 40: no token, or a wrong one."""

import asyncio

import pytest

from tests.otlp import PROTOBUF, GrpcSender, HttpSender, body, receiving, span


@pytest.mark.parametrize("transport", ["grpc", "http"])
@pytest.mark.parametrize("presented", [None, "wrong", "Secret", "secre", "secrets"])
async def test_without_the_token_nothing_is_parsed(transport: str, presented: str | None) -> None:
    async with receiving(transport, token=presented, token_env="OTLP_TOKEN") as bench:
        answer = await bench.sender.send(b"<garbage that would be bad data>")
        assert answer.code == "UNAUTHENTICATED"
        assert answer.http in (401, None)
        assert bench.rejected("unauthorized") == 1
        assert bench.rejected("decode_error") == 0
        assert "secret" not in answer.message


@pytest.mark.parametrize("transport", ["grpc", "http"])
async def test_with_the_token_spans_are_taken(transport: str) -> None:
    async with receiving(transport, token="secret", token_env="OTLP_TOKEN") as bench:
        assert (await bench.sender.send(body(span()))).code == "OK"


async def test_the_scheme_is_written_in_any_case_and_is_needed() -> None:
    async with receiving("http", token_env="OTLP_TOKEN") as bench:
        assert isinstance(bench.sender, HttpSender)
        for value, status in (("bearer secret", 200), ("Basic secret", 401), ("secret", 401), ("Bearer", 401)):
            assert (await bench.sender.send(body(span()), Authorization=value)).http == status
        refused = await bench.sender.session.post(bench.sender.url, headers={"Content-Type": PROTOBUF})
        assert refused.headers["WWW-Authenticate"] == "Bearer"


async def test_a_body_without_the_token_is_not_even_read() -> None:
    async with receiving("http", token_env="OTLP_TOKEN") as bench:
        reader, writer = await asyncio.open_connection("127.0.0.1", bench.receiver.port)
        head = f"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: {PROTOBUF}\r\nContent-Length: 1000000\r\n\r\n"
        writer.write(head.encode())
        assert b" 401 " in await asyncio.wait_for(reader.readline(), 5)
        writer.close()


async def test_a_grpc_message_without_the_token_is_not_even_read() -> None:
    async with receiving("grpc", token_env="OTLP_TOKEN", max_body_bytes=1024) as bench:
        assert isinstance(bench.sender, GrpcSender)
        assert (await bench.sender.send(bytes(100_000))).code == "UNAUTHENTICATED"


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTLP_TOKEN", "secret")
