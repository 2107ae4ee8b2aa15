"""Row 43: what a sender is told is short and holds nothing that was sent."""

import asyncio

import pytest

from collector.spans import SpanBatch
from evaluators.errors import PermanentError
from tests.otlp import JSON, HttpSender, attribute, body, receiving, span

SECRET = "patient-4711"


@pytest.mark.parametrize("transport", ["grpc", "http"])
async def test_no_answer_repeats_the_payload(transport: str) -> None:
    pairs = [attribute(SECRET, SECRET)]
    bad = body(span(1, name=SECRET, trace_id=b"x", attributes=pairs), span(2, name=SECRET, parent_span_id=b"x"))
    async with receiving(transport) as bench:
        answers = [await bench.sender.send(data) for data in (bad, bad[:-5], SECRET.encode(), bad + b"\xff")]
        if isinstance(bench.sender, HttpSender):
            texts = ('{"a":"%s"', '{"resourceSpans":"%s"}', '{"%s":1,"%s":2}', "%s")
            answers += [await bench.sender.send(text.replace("%s", SECRET).encode(), JSON) for text in texts]
        for answer in answers:
            assert SECRET.encode() not in answer.raw
            assert SECRET not in answer.message + answer.partial
            assert answer.message or answer.partial


async def test_what_is_no_http_is_not_quoted() -> None:
    async with receiving("http") as bench:
        reader, writer = await asyncio.open_connection("127.0.0.1", bench.receiver.port)
        writer.write(f"POST /v1/traces HTTP/1.1\r\nX-A\x00: {SECRET}\r\n{SECRET}\r\n\r\n".encode())
        answer = await asyncio.wait_for(reader.read(), 5)
        assert b" 400 " in answer
        assert SECRET.encode() not in answer
        writer.close()


@pytest.mark.parametrize("transport", ["grpc", "http"])
async def test_a_long_message_is_cut(transport: str) -> None:
    def refuse(_batch: SpanBatch) -> None:
        raise PermanentError("ä" * 100_000)

    async with receiving(transport, sink=refuse) as bench:
        answer = await bench.sender.send(body(span()))
        assert answer.code == "INVALID_ARGUMENT"
        assert 0 < len(answer.message.encode()) <= 4096


@pytest.mark.parametrize("transport", ["grpc", "http"])
async def test_a_fault_of_our_own_shows_no_detail(transport: str) -> None:
    def fail(_batch: SpanBatch) -> None:
        raise KeyError(SECRET)

    async with receiving(transport, sink=fail) as bench:
        answer = await bench.sender.send(body(span()))
        assert (answer.code, answer.message) == ("INTERNAL", "internal error")
        assert b"Traceback" not in answer.raw
