"""Rows 30 and 31: impossible times, and spans that are far too big."""

import pytest

from collector.codec import decode_span
from tests.otlp import MIB, attribute, body, receiving, span

pytestmark = pytest.mark.parametrize("transport", ["grpc", "http"])


@pytest.mark.parametrize(("start", "end"), [(2, 1), (0, 0), (0, 1), (2**64 - 1, 2**64 - 1), (1, 2**64 - 1)], ids=str)
async def test_any_times_are_accepted(transport: str, start: int, end: int) -> None:
    async with receiving(transport) as bench:
        answer = await bench.sender.send(body(span(start_time_unix_nano=start, end_time_unix_nano=end)))
        assert (answer.code, answer.rejected) == ("OK", 0)
        read = decode_span(bench.sink.spans[0].raw)
        assert (read.start_ns, read.end_ns) == (start, end)


async def test_a_huge_value_and_ten_thousand_attributes_are_cut_and_flagged(transport: str) -> None:
    huge = [attribute("huge", "x" * (10 * MIB))]
    many = [attribute(f"key-{number}", "x") for number in range(10_000)]
    async with receiving(transport) as bench:
        answer = await bench.sender.send(body(span(1, attributes=huge), span(2, attributes=many), span(3)))
        assert (answer.code, answer.rejected) == ("OK", 0)
        cut, counted, whole = (decode_span(kept.raw).attributes for kept in bench.sink.spans)
        assert len(str(cut.get("huge"))) == MIB
        assert len(counted) < 5000
        assert (cut.truncated, counted.truncated, whole.truncated) == (True, True, False)
