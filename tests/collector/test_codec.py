"""Bodies become batches, and spans can be read."""

import gzip
import random
from pathlib import Path

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from collector.attributes import MAX_ATTRIBUTES, MAX_VALUE_BYTES
from collector.codec import Codec, decode_span
from collector.envelope import SMALL_SCOPE_BYTES
from collector.markers import Markers
from collector.status import Reason, RefusedError
from evaluators.errors import PermanentError
from tests.bench.traffic import mixed_fleet
from tests.otlp import MARKERS, ROOT_ID, TRACE_ID, attribute, body, nested, request, span, splice

CAPTURES = sorted((Path(__file__).parent.parent / "captures").glob("*/*.pb"))
CODEC = Codec(MARKERS)


def test_a_marked_span_is_kept_as_it_came_with_its_ids() -> None:
    sent = span(7)
    (kept,) = CODEC.decode(body(sent)).spans
    assert kept.raw == sent.SerializeToString()
    assert (kept.trace_id, kept.span_id, kept.parent_id) == (TRACE_ID, sent.span_id, ROOT_ID)
    assert kept.ended
    assert kept.resource.service == "support-bot"


def test_a_span_without_marker_is_counted_and_not_kept() -> None:
    batch = CODEC.decode(body(span(1, marked=False), span(2)))
    assert batch.received == 2
    assert [kept.span_id for kept in batch.spans] == [span(2).span_id]
    assert batch.ordinary_roots == []


@pytest.mark.parametrize("parent", [b"", bytes(8)], ids=["absent", "zeros"])
def test_an_ordinary_span_without_parent_tells_that_its_trace_has_ended(parent: bytes) -> None:
    batch = CODEC.decode(body(span(1, marked=False, parent_span_id=parent)))
    assert batch.ordinary_roots == [TRACE_ID]


def test_an_ordinary_root_with_trace_state_or_without_name_is_still_a_root() -> None:
    with_state = span(1, marked=False, parent_span_id=b"", trace_state="a=b")
    nameless = span(2, marked=False, parent_span_id=b"", name="")
    assert CODEC.decode(body(with_state, nameless)).ordinary_roots == [TRACE_ID, TRACE_ID]


def test_a_parent_of_zeros_is_no_parent() -> None:
    (kept,) = CODEC.decode(body(span(1, parent_span_id=bytes(8)))).spans
    assert kept.parent_id == b""


def test_a_span_that_still_runs_is_not_ended() -> None:
    (kept,) = CODEC.decode(body(span(1, end_time_unix_nano=0))).spans
    assert not kept.ended


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize(
    "wrong",
    [
        {"trace_id": b""},
        {"trace_id": bytes(16)},
        {"trace_id": b"x" * 15},
        {"trace_id": b"x" * 24},
        {"span_id": b""},
        {"span_id": bytes(8)},
        {"span_id": b"x" * 7},
        {"parent_span_id": b"x" * 4},
    ],
    ids=str,
)
def test_a_wrong_id_costs_that_span_alone(wrong: dict[str, bytes], marked: bool) -> None:
    batch = CODEC.decode(body(span(1, marked=marked, **wrong), span(2)))
    assert batch.rejected == {Reason.INVALID_ID: 1}
    assert batch.received == 2
    assert len(batch.spans) == 1
    assert "trace_id must be 16 bytes" in batch.message


def test_invalid_utf8_costs_that_span_alone() -> None:
    bad = span(1, attributes=[attribute("text", "QQQQ")]).SerializeToString().replace(b"QQQQ", b"Q\xff\xfeQ")
    batch = CODEC.decode(splice(span(2), bad))
    assert batch.rejected == {Reason.INVALID_UTF8: 1}
    assert [kept.span_id for kept in batch.spans] == [span(2).span_id]


@pytest.mark.parametrize("levels", [48, 60, 100])
def test_deep_nesting_costs_that_span_alone(levels: int) -> None:
    bad = span(1, attributes=[KeyValue(key="deep", value=nested(40))]).SerializeToString()
    too_deep = _deepened(levels)
    batch = CODEC.decode(splice(span(2), too_deep))
    assert batch.rejected == {Reason.TOO_DEEP: 1}
    assert len(batch.spans) == 1
    assert len(CODEC.decode(splice(span(2), bad)).spans) == 2


def _deepened(levels: int) -> bytes:
    """Serialized by hand where the library itself would refuse to read it."""
    value = AnyValue(string_value="x").SerializeToString()
    for _ in range(levels):
        value = _delimited(5, _delimited(1, value))
    return span(1).SerializeToString() + _delimited(9, _delimited(1, b"deep") + _delimited(2, value))


def _delimited(number: int, data: bytes) -> bytes:
    size = len(data)
    prefix = bytes([size]) if size < 0x80 else bytes([size & 0x7F | 0x80, size >> 7])
    return bytes([number << 3 | 2]) + prefix + data


def test_a_truncated_marked_span_costs_that_span_alone() -> None:
    batch = CODEC.decode(splice(span(2), span(1).SerializeToString()[:-3]))
    assert batch.rejected == {Reason.DECODE_ERROR: 1}
    assert len(batch.spans) == 1


@pytest.mark.parametrize("data", [b"<html>", b'{"resourceSpans":[]}', body(span())[:-1], b"\x0a\xff"], ids=str)
def test_bytes_that_are_no_request_are_refused(data: bytes) -> None:
    with pytest.raises(RefusedError, match="not a serialized ExportTraceServiceRequest") as refused:
        CODEC.decode(data)
    assert refused.value.reason is Reason.DECODE_ERROR


def test_an_empty_body_is_an_empty_batch() -> None:
    assert CODEC.decode(b"").received == 0


def test_unknown_fields_are_ignored() -> None:
    unknown = b"\xfa\x3f\x03new"
    assert len(CODEC.decode(body(span()) + unknown).spans) == 1
    assert len(CODEC.decode(splice(span(2), span(1).SerializeToString() + unknown)).spans) == 2


def test_spans_over_the_limit_are_refused_whole() -> None:
    with pytest.raises(RefusedError, match="more than 2 parts") as refused:
        Codec(MARKERS, max_spans=2).decode(body(span(1), span(2), span(3)))
    assert refused.value.reason is Reason.TOO_MANY_SPANS
    assert len(Codec(MARKERS, max_spans=2).decode(body(span(1), span(2))).spans) == 2


LARGE = 4 * SMALL_SCOPE_BYTES


@pytest.mark.parametrize("marker", [b"", MARKERS[0]], ids=["ordinary", "marked"])
@pytest.mark.parametrize("part", [b"\x12\x00", b"\x1a\x00", b"\x38\x00", b"\x39" + bytes(8)], ids=str)
def test_a_large_body_of_tiny_parts_is_refused_before_it_is_parsed(part: bytes, marker: bytes) -> None:
    parts = part * (LARGE // len(part) + 1) + b"\x1a" + bytes([len(marker)]) + marker
    for data in (parts, _framed(b"\x0a", parts), _framed(b"\x0a", _framed(b"\x12", parts))):
        with pytest.raises(RefusedError) as refused:
            CODEC.decode(data)
        assert refused.value.reason is Reason.TOO_MANY_SPANS


def _framed(tag: bytes, data: bytes) -> bytes:
    return tag + _size(len(data)) + data


def _size(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("size", [1, 100, 130, 10_000, 70_000])
def test_spans_of_every_size_are_found(size: int, marked: bool) -> None:
    text = attribute("input.value", "x" * size)
    count = max(20, LARGE // size // 4 if size > 1000 else 20)
    batch = CODEC.decode(body(*(span(number, marked=marked, attributes=[text]) for number in range(1, count + 1))))
    assert (batch.received, batch.rejected) == (count, {})
    assert len({kept.span_id for kept in batch.spans}) == (count if marked else 0)


@pytest.mark.parametrize("marked", [True, False])
def test_unusual_encodings_of_a_request_are_read(marked: bool) -> None:
    item = span(marked=marked).SerializeToString()
    resource = b"\x0a" + _size(2) + b"\x0a\x00"
    spans = [
        b"\x12" + _size(len(item)) + item,
        b"\x92\x00" + _size(len(item)) + item,  # a tag of two bytes
        b"\x12" + bytes([len(item) & 0x7F | 0x80, len(item) >> 7 | 0x80, 0x80, 0x00]) + item,  # a padded length
    ]
    unknown = b"\x1a\x03url\x20\x01\x29" + bytes(8) + b"\x35" + bytes(4)
    for encoded in spans:
        scope = _framed(b"\x12", unknown + encoded + unknown)
        # The resource may stand behind its scopes.
        batch = CODEC.decode(unknown + _framed(b"\x0a", scope + unknown + resource) + unknown)
        assert (batch.received, batch.rejected, len(batch.spans)) == (1, {}, int(marked))


@pytest.mark.parametrize(
    "tail", [b"\x0a", b"\x0a\xff", b"\x0b", b"\x0a\x05abc", b"\xff" * 12, b"\x00\x00", b"\x02\x00"]
)
@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("marked", [True, False])
def test_a_request_that_is_cut_or_garbled_at_any_level_is_refused(tail: bytes, level: int, marked: bool) -> None:
    item = span(1, marked=marked).SerializeToString()
    data = tail if level == 3 else b""
    for depth, inner in enumerate((_framed(b"\x12", item), b"", b"")):
        data = inner + data + (tail if level == 2 - depth else b"")
        data = _framed(b"\x12" if depth == 0 else b"\x0a", data) if depth < 2 else data
    with pytest.raises(RefusedError) as refused:
        CODEC.decode(data)
    assert refused.value.reason is Reason.DECODE_ERROR


def test_equal_resources_are_one_object() -> None:
    first, second = CODEC.decode(body(span(1))), CODEC.decode(body(span(2)))
    assert first.spans[0].resource is second.spans[0].resource


def test_a_resource_keeps_few_short_texts() -> None:
    message = request(span())
    resource = message.resource_spans[0].resource
    resource.attributes.extend(attribute(f"key-{number:03}", "v" * 1000) for number in range(100))
    resource.attributes.append(attribute("process.pid", 42))
    (kept,) = CODEC.decode(message.SerializeToString()).spans
    assert len(kept.resource.attributes) == 64
    assert set(map(len, kept.resource.attributes.values())) == {256}
    assert kept.resource.service == "support-bot"


@pytest.mark.parametrize("raw", [b"", b"\xff\xff", b"\x0a\x02\x0a\x05"], ids=["absent", "garbled", "cut"])
def test_an_unreadable_resource_costs_no_span(raw: bytes) -> None:
    spans = _delimited(2, _delimited(2, span().SerializeToString()))
    batch = CODEC.decode(b"\x0a" + _size(len(raw) + 2 + len(spans)) + b"\x0a" + bytes([len(raw)]) + raw + spans)
    assert [kept.resource.service for kept in batch.spans] == ["unknown_service"]


def test_a_mixed_request_loses_nothing() -> None:
    data = mixed_fleet(1)
    sent = [
        item
        for resource in ExportTraceServiceRequest.FromString(data).resource_spans
        for scope in resource.scope_spans
        for item in scope.spans
    ]
    marked = [item for item in sent if any(pair.key == "openinference.span.kind" for pair in item.attributes)]
    batch = CODEC.decode(data)
    assert batch.received == len(sent)
    assert [kept.raw for kept in batch.spans] == [item.SerializeToString() for item in marked]
    roots = [item.trace_id for item in sent if not item.parent_span_id and item not in marked]
    assert batch.ordinary_roots == roots


@pytest.mark.parametrize("count", [1, 16, 17, 40])
def test_any_of_many_markers_is_found(count: int) -> None:
    names = [f"dialect-{number}.span.kind" for number in range(count)]
    codec = Codec([name.encode() for name in names])
    spans = [span(number, marked=False, attributes=[attribute(name, "x")]) for number, name in enumerate(names, 1)]
    random.Random(1).shuffle(spans)
    assert len(codec.decode(body(span(99, marked=False), *spans)).spans) == count


@pytest.mark.parametrize("markers", [[], [b""], [b"x", b""]], ids=str)
def test_empty_markers_are_a_mistake(markers: list[bytes]) -> None:
    with pytest.raises(PermanentError, match="markers"):
        Markers(markers)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 200), st.integers(0, 100))
def test_no_bytes_bring_the_codec_down(noise: bytes, at: int, cut: int) -> None:
    good = body(span(1), span(2, marked=False))
    for data in (noise, good[:at] + noise + good[at + cut :]):
        try:
            batch = CODEC.decode(data)
        except RefusedError:
            continue
        assert len(batch.spans) + sum(batch.rejected.values()) <= batch.received
        for kept in batch.spans:
            read = decode_span(kept.raw)
            assert read.span_id == kept.span_id
            for key in read.attributes.keys():  # noqa: SIM118  not a dict
                read.attributes.get(key)


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_real_spans_read_as_the_generated_classes_read_them(path: Path) -> None:
    data = path.read_bytes()
    message = ExportTraceServiceRequest.FromString(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    for resource in message.resource_spans:
        for scope in resource.scope_spans:
            for sent in scope.spans:
                _assert_same(sent)


def _assert_same(sent: Span) -> None:
    read = decode_span(sent.SerializeToString())
    assert (read.trace_id, read.span_id, read.parent_id) == (sent.trace_id, sent.span_id, sent.parent_span_id)
    assert (read.name, read.kind, read.status_code) == (sent.name, sent.kind, sent.status.code)
    assert (read.start_ns, read.end_ns) == (sent.start_time_unix_nano, sent.end_time_unix_nano)
    assert read.dropped_attributes == sent.dropped_attributes_count
    assert _table(read.attributes) == {pair.key: _plain(pair.value) for pair in sent.attributes}
    assert [(name, _table(table)) for name, table in read.events] == [
        (event.name, {pair.key: _plain(pair.value) for pair in event.attributes}) for event in sent.events
    ]


def _table(attributes: object) -> dict[str, object]:
    return {key: attributes.get(key) for key in attributes.keys()}  # noqa: SIM118


def _plain(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return {pair.key: _plain(pair.value) for pair in value.kvlist_value.values}
    return getattr(value, kind) if kind else None


VALUES = st.recursive(
    st.one_of(
        st.builds(lambda text: AnyValue(string_value=text), st.text(st.characters(codec="utf-8"), max_size=200)),
        st.builds(lambda number: AnyValue(int_value=number), st.integers(-(2**63), 2**63 - 1)),
        st.builds(lambda number: AnyValue(double_value=number), st.floats(allow_nan=False)),
        st.builds(lambda flag: AnyValue(bool_value=flag), st.booleans()),
        st.builds(lambda data: AnyValue(bytes_value=data), st.binary(max_size=20)),
        st.just(AnyValue()),
    ),
    lambda inner: st.builds(lambda items: AnyValue(array_value={"values": items}), st.lists(inner, max_size=4)),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_every_value_reads_as_it_was_written(value: AnyValue) -> None:
    read = decode_span(span(attributes=[attribute("key", value)]).SerializeToString())
    assert read.attributes.get("key") == _plain(value)


@pytest.mark.parametrize("size", [0, 1, 126, 127, 128, 129, 16_382, 16_383, 16_384, 16_385, 70_000])
def test_texts_of_every_length_read_whole(size: int) -> None:
    read = decode_span(span(attributes=[attribute("key", "ä" + "x" * size)]).SerializeToString())
    assert read.attributes.get("key") == "ä" + "x" * size
    assert not read.attributes.truncated


def test_an_empty_value_is_absent_and_an_empty_text_is_not() -> None:
    read = decode_span(span(attributes=[KeyValue(key="no"), attribute("empty", "")]).SerializeToString())
    assert read.attributes.get("no") is None
    assert read.attributes.get("empty") == ""
    assert read.attributes.get("never") is None
    assert "no" in read.attributes
    assert "never" not in read.attributes


def test_of_a_key_sent_twice_the_last_value_counts() -> None:
    read = decode_span(span(attributes=[attribute("key", "one"), attribute("key", "two")]).SerializeToString())
    assert read.attributes.get("key") == "two"


def test_dictionary_indices_of_the_profiles_signal_are_absent() -> None:
    pairs = [
        KeyValue(key_strindex=3, value=AnyValue(string_value="x")),
        KeyValue(key="b", value=AnyValue(string_value_strindex=4)),
    ]
    read = decode_span(span(attributes=pairs).SerializeToString())
    assert read.attributes.get("b") is None


def test_a_huge_value_is_cut_and_flagged() -> None:
    text = "ä" * (MAX_VALUE_BYTES // 2) + "rest"
    read = decode_span(span(attributes=[attribute("huge", text), attribute("key", "whole")]).SerializeToString())
    value = read.attributes.get("huge")
    assert isinstance(value, str)
    assert len(value.encode()) <= MAX_VALUE_BYTES
    assert text.startswith(value)
    assert read.attributes.get("key") == "whole"
    assert read.attributes.truncated


def test_a_huge_list_is_cut_and_flagged() -> None:
    items = AnyValue(array_value={"values": [AnyValue(string_value="x" * 1000)] * 2000})
    read = decode_span(span(attributes=[attribute("list", items)]).SerializeToString())
    value = read.attributes.get("list")
    assert isinstance(value, list)
    assert 1000 < len(value) < 1100
    assert read.attributes.truncated


def test_too_many_attributes_are_cut_and_flagged() -> None:
    read = decode_span(
        span(attributes=[attribute(f"k{number:05}", "v") for number in range(10_000)]).SerializeToString()
    )
    assert len(read.attributes) == MAX_ATTRIBUTES
    assert read.attributes.get("k00000") == "v"
    assert read.attributes.truncated


def test_status_and_events_are_read() -> None:
    sent = span(
        status=Status(code=Status.STATUS_CODE_ERROR, message="no"),
        events=[Span.Event(name="exception", attributes=[attribute("type", "E")])],
    )
    read = decode_span(sent.SerializeToString())
    assert read.status_code == 2
    assert [(name, _table(table)) for name, table in read.events] == [("exception", {"type": "E"})]


def test_bytes_that_are_no_span_cannot_be_read() -> None:
    with pytest.raises(PermanentError, match="not a serialized OTLP span"):
        decode_span(b"\xff\xff")


def test_the_codec_takes_what_the_generated_classes_take_and_hands_on_nothing_that_they_cannot_read() -> None:
    rng = random.Random(3)
    good = body(span(1, attributes=[attribute("text", "some text")]), span(2), span(3, marked=False))
    both = 0
    for _ in range(3000):
        data = _damaged(good, rng)
        parsed = _parsed(data)
        try:
            batch = CODEC.decode(data)
        except RefusedError:
            assert parsed is None, data.hex()
            continue
        for kept in batch.spans:
            Span.FromString(kept.raw)
        if parsed is not None:
            both += 1
            assert batch.received == len(parsed), data.hex()
    assert both > 100


def _damaged(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(damaged))
        if rng.random() < 0.7:
            damaged[at] = rng.choice([rng.randrange(256), 0x0A, 0x12, 0x80, damaged[at] ^ 1])
        else:
            damaged[at : at + rng.randint(0, 4)] = rng.randbytes(rng.randint(0, 4))
    return bytes(damaged)


def _parsed(data: bytes) -> list[Span] | None:
    try:
        message = ExportTraceServiceRequest.FromString(data)
    except DecodeError:
        return None
    return [item for resource in message.resource_spans for scope in resource.scope_spans for item in scope.spans]
