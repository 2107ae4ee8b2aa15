"""Rows 21 to 25: spans with wrong ids, invalid text or bottomless nesting among good ones."""

import pytest

from tests.otlp import JSON, HttpSender, as_json, attribute, body, receiving, request, span, splice

pytestmark = pytest.mark.parametrize("transport", ["grpc", "http"])

WRONG_IDS = {
    "trace id empty": {"trace_id": b""},
    "trace id short": {"trace_id": b"x" * 8},
    "trace id long": {"trace_id": b"x" * 24},
    "trace id zero": {"trace_id": bytes(16)},
    "span id empty": {"span_id": b""},
    "span id short": {"span_id": b"x" * 7},
    "span id zero": {"span_id": bytes(8)},
    "parent id short": {"parent_span_id": b"x" * 7},
    "parent id long": {"parent_span_id": b"x" * 16},
}


@pytest.mark.parametrize("marked", [True, False], ids=["marked", "ordinary"])
@pytest.mark.parametrize("wrong", WRONG_IDS.values(), ids=WRONG_IDS)
async def test_a_wrong_id_is_a_partial_success(transport: str, wrong: dict[str, bytes], marked: bool) -> None:
    async with receiving(transport) as bench:
        answer = await bench.sender.send(body(span(1), span(2, marked=marked, **wrong), span(3)))
        assert (answer.code, answer.rejected) == ("OK", 1)
        assert "trace_id" in answer.partial
        assert [kept.span_id for kept in bench.sink.spans] == [span(1).span_id, span(3).span_id]
        assert bench.rejected("invalid_id") == 1
        assert bench.received() == 3


async def test_invalid_utf8_is_a_partial_success(transport: str) -> None:
    bad = span(2, attributes=[attribute("text", "QQQQ")]).SerializeToString().replace(b"QQQQ", b"\xc3\x28\xff\xfe")
    async with receiving(transport) as bench:
        answer = await bench.sender.send(splice(span(1), bad))
        assert (answer.code, answer.rejected) == ("OK", 1)
        assert "UTF-8" in answer.partial
        assert [kept.span_id for kept in bench.sink.spans] == [span(1).span_id]
        assert bench.rejected("invalid_utf8") == 1


@pytest.mark.parametrize("levels", [48, 200])
async def test_bottomless_nesting_is_a_partial_success(transport: str, levels: int) -> None:
    value = b"\x0a\x01x"
    for _ in range(levels):
        value = _framed(b"\x2a", _framed(b"\x0a", value))
    deep = span(2).SerializeToString() + _framed(b"\x4a", b"\x0a\x01k" + _framed(b"\x12", value))
    async with receiving(transport) as bench:
        answer = await bench.sender.send(splice(span(1), deep))
        assert (answer.code, answer.rejected) == ("OK", 1)
        assert "nested too deep" in answer.partial
        assert [kept.span_id for kept in bench.sink.spans] == [span(1).span_id]
        assert bench.rejected("too_deep") == 1


async def test_a_request_of_bad_spans_alone_is_a_partial_success_too(transport: str) -> None:
    bad = [span(number, trace_id=b"") for number in range(1, 11)]
    async with receiving(transport) as bench:
        answer = await bench.sender.send(body(*bad))
        assert (answer.code, answer.rejected) == ("OK", 10)
        if isinstance(bench.sender, HttpSender):
            assert (await bench.sender.send(as_json(request(*bad)), JSON)).rejected == 10


def _framed(tag: bytes, data: bytes) -> bytes:
    size, out = len(data), bytearray(tag)
    while size > 0x7F:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes(out) + bytes([size]) + data
