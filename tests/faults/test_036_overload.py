"""Row 36: the next stage cannot take more."""

import pytest

from tests.otlp import JSON, HttpSender, as_json, body, receiving, request, span


@pytest.mark.parametrize("transport", ["grpc", "http"])
@pytest.mark.parametrize(("asked", "told"), [(0.0, 1), (0.2, 1), (1.0, 1), (1.5, 2), (60.0, 2)])
async def test_overload_is_retryable_soon_and_takes_nothing(transport: str, asked: float, told: int) -> None:
    async with receiving(transport) as bench:
        bench.sink.full = asked
        answer = await bench.sender.send(body(span(1), span(2)))
        assert (answer.code, answer.retry_after) == ("UNAVAILABLE", told)
        assert answer.http in (503, None)
        assert bench.rejected("overloaded") == 2
        assert bench.received() == 0
        bench.sink.full = None
        assert (await bench.sender.send(body(span(1), span(2)))).code == "OK"
        assert len(bench.sink.spans) == 2


async def test_overload_is_told_to_json_senders_in_json() -> None:
    async with receiving("http") as bench:
        bench.sink.full = 1.0
        assert isinstance(bench.sender, HttpSender)
        answer = await bench.sender.send(as_json(request(span())), JSON)
        assert (answer.http, answer.code, answer.retry_after) == (503, "UNAVAILABLE", 1)
