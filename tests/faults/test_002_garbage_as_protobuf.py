"""Row 2: random bytes, HTML or JSON sent as protobuf."""

import random

import pytest

from tests.otlp import as_json, receiving, request, span

GARBAGE = [random.Random(5).randbytes(1000), b"<!DOCTYPE html><html></html>", as_json(request(span())), b"\xff" * 50]


@pytest.mark.parametrize("transport", ["grpc", "http"])
async def test_garbage_is_bad_data(transport: str) -> None:
    async with receiving(transport) as bench:
        for garbage in GARBAGE:
            assert (await bench.sender.send(garbage)).code == "INVALID_ARGUMENT"
        assert bench.rejected("decode_error") == len(GARBAGE)
