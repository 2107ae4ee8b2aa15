"""Row 3: an empty body, or one without spans."""

import pytest

from tests.otlp import JSON, HttpSender, receiving, request


@pytest.mark.parametrize("transport", ["grpc", "http"])
@pytest.mark.parametrize("data", [b"", request().SerializeToString()], ids=["empty", "no spans"])
async def test_nothing_is_accepted_fully(transport: str, data: bytes) -> None:
    async with receiving(transport) as bench:
        answer = await bench.sender.send(data)
        assert (answer.code, answer.raw) == ("OK", b"")


@pytest.mark.parametrize("data", [b"", b"{}", b'{"resourceSpans":[]}', b'{"resourceSpans":null}'], ids=str)
async def test_nothing_in_json_is_accepted_fully(data: bytes) -> None:
    async with receiving("http") as bench:
        assert isinstance(bench.sender, HttpSender)
        answer = await bench.sender.send(data, JSON)
        assert (answer.http, answer.raw) == (200, b"{}")
