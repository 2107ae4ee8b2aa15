"""Row 1: truncated protobuf."""

import pytest

from tests.otlp import body, receiving, span


@pytest.mark.parametrize("transport", ["grpc", "http"])
async def test_truncated_protobuf_is_bad_data_told_in_a_status(transport: str) -> None:
    good = body(span(1), span(2))
    async with receiving(transport) as bench:
        for cut in (1, len(good) // 2, len(good) - 1):
            answer = await bench.sender.send(good[:cut])
            assert answer.code == "INVALID_ARGUMENT"
            assert answer.http in (400, None)
            assert "ExportTraceServiceRequest" in answer.message
            assert answer.retry_after is None
        assert bench.rejected("decode_error") == 3
        assert bench.sink.batches == []
