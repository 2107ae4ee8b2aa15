"""Rows 26 to 28: unknown fields, dictionary indices, repeated keys, values of every kind and of none."""

import logging

import pytest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from collector.attributes import _tell_of_strindex
from collector.codec import decode_span
from tests.otlp import attribute, body, receiving, span

pytestmark = pytest.mark.parametrize("transport", ["grpc", "http"])


async def test_unknown_fields_are_ignored(transport: str) -> None:
    async with receiving(transport) as bench:
        answer = await bench.sender.send(body(span()) + b"\xfa\x3f\x03new\xa0\x06\x01")
        assert (answer.code, answer.rejected) == ("OK", 0)
        assert len(bench.sink.spans) == 1


async def test_dictionary_indices_are_absent_and_told_once(transport: str, caplog: pytest.LogCaptureFixture) -> None:
    indexed = [
        KeyValue(key_strindex=7, value=AnyValue(string_value="x")),
        KeyValue(key="a", value=AnyValue(string_value_strindex=7)),
    ]
    _tell_of_strindex.cache_clear()
    async with receiving(transport) as bench:
        assert (await bench.sender.send(body(span(attributes=indexed)))).rejected == 0
        read = decode_span(bench.sink.spans[0].raw).attributes
        with caplog.at_level(logging.WARNING):
            assert [read.get("a"), read.get("a")] == [None, None]
        assert len(caplog.records) == 1


async def test_of_equal_keys_the_last_counts(transport: str) -> None:
    pairs = [attribute("key", text) for text in ("one", "two", "three")]
    async with receiving(transport) as bench:
        await bench.sender.send(body(span(attributes=pairs)))
        assert decode_span(bench.sink.spans[0].raw).attributes.get("key") == "three"


async def test_empty_is_absent_bytes_stay_bytes_and_structure_stays_structure(transport: str) -> None:
    document = AnyValue(kvlist_value={"values": [attribute("content", "text"), attribute("id", 7)]})
    pairs = [
        KeyValue(key="unset"),
        attribute("empty", AnyValue()),
        attribute("bytes", AnyValue(bytes_value=b"caf\xc3\xa9")),
        attribute("documents", AnyValue(array_value={"values": [document, AnyValue()]})),
    ]
    async with receiving(transport) as bench:
        await bench.sender.send(body(span(attributes=pairs)))
        read = decode_span(bench.sink.spans[0].raw).attributes
        assert read.get("unset") is None
        assert read.get("empty") is None
        assert read.get("bytes") == b"caf\xc3\xa9"
        assert read.get("documents") == [{"content": "text", "id": 7}, None]
