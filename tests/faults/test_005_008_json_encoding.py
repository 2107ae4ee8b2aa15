"""Rows 5 to 8: how OTLP/JSON differs from the generic protobuf mapping."""

import base64
import json

import pytest

from collector.codec import decode_span
from tests.otlp import JSON, MARKER, ROOT_ID, TRACE_ID, Answer, Bench, HttpSender, receiving


def _document(**fields: object) -> bytes:
    span = {
        "traceId": TRACE_ID.hex(),
        "spanId": "00000000000000aa",
        "parentSpanId": ROOT_ID.hex(),
        "name": "retrieve",
        "kind": 1,
        "startTimeUnixNano": "1800000000000000000",
        "endTimeUnixNano": "1800000000500000000",
        "attributes": [{"key": MARKER, "value": {"stringValue": "RETRIEVER"}}],
    }
    spans = [{name: value for name, value in (span | fields).items() if value is not None}]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


async def _send(bench: Bench, data: bytes) -> Answer:
    assert isinstance(bench.sender, HttpSender)
    return await bench.sender.send(data, JSON)


async def test_unknown_fields_are_ignored() -> None:
    async with receiving("http") as bench:
        answer = await _send(bench, _document(newField={"a": [1]}, attributes2=[]))
        assert (answer.http, answer.rejected) == (200, 0)


@pytest.mark.parametrize("spell", [str.lower, str.upper], ids=["lower", "upper"])
async def test_ids_are_hex_in_either_case(spell: object) -> None:
    async with receiving("http") as bench:
        await _send(bench, _document(traceId=spell(TRACE_ID.hex()), spanId=spell("00000000000000ab")))  # type: ignore[operator]
        (kept,) = bench.sink.spans
        assert (kept.trace_id, kept.span_id, kept.parent_id) == (TRACE_ID, bytes(7) + b"\xab", ROOT_ID)


@pytest.mark.parametrize("field", ["traceId", "spanId", "parentSpanId"])
@pytest.mark.parametrize("value", [base64.b64encode(TRACE_ID).decode(), "zz" * 16, "abc", 7, ["00"]], ids=str)
async def test_ids_that_are_no_hex_cost_the_span(field: str, value: object) -> None:
    async with receiving("http") as bench:
        answer = await _send(bench, _document(**{field: value}))
        assert (answer.http, answer.rejected) == (200, 1)
        assert bench.rejected("invalid_id") == 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"kind": "SPAN_KIND_SERVER"}, "kind"),
        ({"status": {"code": "STATUS_CODE_ERROR"}}, "code"),
        ({"trace_id": TRACE_ID.hex()}, "traceId"),
        ({"dropped_attributes_count": 1}, "droppedAttributesCount"),
        ({"attributes": [{"key": "a", "value": {"string_value": "x"}}]}, "stringValue"),
    ],
    ids=str,
)
async def test_enum_names_and_snake_case_are_refused_by_name(fields: dict[str, object], told: str) -> None:
    async with receiving("http") as bench:
        answer = await _send(bench, _document(**fields))
        assert answer.http == 400
        assert told in answer.message


@pytest.mark.parametrize("number", ["1800000000000000001", 1800000000000000001])
async def test_64_bit_numbers_come_as_text_or_number(number: object) -> None:
    async with receiving("http") as bench:
        await _send(bench, _document(startTimeUnixNano=number))
        assert decode_span(bench.sink.spans[0].raw).start_ns == 1800000000000000001


@pytest.mark.parametrize("number", ["1.5", 1.5, -1, "-1", 2**64, "x", "", True, [], "1_0", 1e400], ids=str)
async def test_what_is_no_64_bit_number_is_refused_by_name(number: object) -> None:
    data = _document(startTimeUnixNano=number)
    async with receiving("http") as bench:
        answer = await _send(bench, data)
        if number == "":
            assert answer.http == 200
            return
        assert answer.http == 400


async def test_every_kind_of_value_is_read() -> None:
    values = {
        "s": ({"stringValue": ""}, ""),
        "b": ({"boolValue": False}, False),
        "i": ({"intValue": "-9223372036854775808"}, -(2**63)),
        "j": ({"intValue": 0}, 0),
        "d": ({"doubleValue": 1.5}, 1.5),
        "n": ({"doubleValue": "Infinity"}, float("inf")),
        "y": ({"bytesValue": "AAE="}, b"\x00\x01"),
        "a": ({"arrayValue": {"values": [{"stringValue": "x"}, {"intValue": "1"}, {}]}}, ["x", 1, None]),
        "k": ({"kvlistValue": {"values": [{"key": "q", "value": {"stringValue": "x"}}]}}, {"q": "x"}),
        "e": ({}, None),
    }
    attributes = [{"key": key, "value": value} for key, (value, _) in values.items()]
    marker = {"key": MARKER, "value": {"stringValue": "x"}}
    async with receiving("http") as bench:
        await _send(bench, _document(attributes=[marker, *attributes]))
        read = decode_span(bench.sink.spans[0].raw).attributes
        assert {key: read.get(key) for key in values} == {key: value for key, (_, value) in values.items()}


async def test_an_unpaired_surrogate_costs_the_span() -> None:
    async with receiving("http") as bench:
        answer = await _send(bench, _document(name="\ud800"))
        assert (answer.http, answer.rejected) == (200, 1)
        assert bench.rejected("invalid_utf8") == 1
