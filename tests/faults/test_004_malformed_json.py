"""Row 4: JSON that is none, has junk behind it, repeats a key, or is nested without end."""

import pytest

from tests.otlp import JSON, HttpSender, receiving

MALFORMED = {
    "cut": b'{"resourceSpans":[',
    "trailing junk": b'{"resourceSpans":[]} x',
    "two documents": b"{}{}",
    "same key twice": b'{"resourceSpans":[],"resourceSpans":[]}',
    "same key twice within": b'{"resourceSpans":[{"resource":{},"resource":{}}]}',
    "100 000 arrays": b"[" * 100_000,
    "100 000 objects": b'{"a":' * 100_000,
    "deep unknown field": b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "not an object": b"[]",
    "wrong shape": b'{"resourceSpans":{}}',
    "spans of text": b'{"resourceSpans":[{"scopeSpans":[{"spans":["x"]}]}]}',
    "NaN": b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":NaN}]}]}]}',
    "not UTF-8": b'{"resourceSpans":"\xff"}',
    "UTF-16": "{}".encode("utf-16"),
    "5000 digits": b'{"resourceSpans":' + b"9" * 5000 + b"}",
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
async def test_malformed_json_is_bad_data_told_in_json(data: bytes) -> None:
    async with receiving("http") as bench:
        assert isinstance(bench.sender, HttpSender)
        answer = await bench.sender.send(data, JSON)
        assert (answer.http, answer.code) == (400, "INVALID_ARGUMENT")
        assert "not valid OTLP/JSON" in answer.message
        assert bench.rejected("decode_error") == 1
        assert (await bench.sender.send(b"{}", JSON)).http == 200
