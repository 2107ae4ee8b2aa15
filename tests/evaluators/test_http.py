import asyncio
import math
from email.utils import formatdate

import pytest

from evaluators.evaluation import FailReason
from evaluators.judges.base import JudgeError
from evaluators.judges.http import MAX_REPLY, BadRequestError, HttpEndpoint, retry_after
from tests.fakes import FakeClock, OpenAIStub, StubReply, api_error

NOW = 1_800_000_000.0


async def post_to(reply, timeout_s=5.0):
    async with OpenAIStub(reply) as stub:
        endpoint = HttpEndpoint(f"{stub.base_url}/chat/completions", {}, FakeClock(), timeout_s=timeout_s)
        try:
            return await endpoint.post(b"{}")
        finally:
            await endpoint.aclose()


@pytest.mark.parametrize(
    ("status", "reason", "retryable"),
    [
        (301, FailReason.UNAVAILABLE, False),
        (401, FailReason.UNAUTHORIZED, False),
        (403, FailReason.UNAUTHORIZED, False),
        (404, FailReason.UNAVAILABLE, False),
        (408, FailReason.UNAVAILABLE, True),
        (429, FailReason.RATE_LIMITED, True),
        (500, FailReason.UNAVAILABLE, True),
        (503, FailReason.UNAVAILABLE, True),
        (529, FailReason.UNAVAILABLE, True),
    ],
)
async def test_each_status_has_its_meaning(status, reason, retryable):
    with pytest.raises(JudgeError) as failed:
        await post_to(api_error(status, "key sk-secret of the trace"))
    assert (failed.value.reason, failed.value.retryable) == (reason, retryable)
    assert "secret" not in str(failed.value)


async def test_a_bad_request_tells_what_was_refused():
    with pytest.raises(BadRequestError) as refused:
        await post_to(api_error(400, "Unsupported parameter: 'seed'", param="seed"))
    assert "seed" in refused.value.text
    assert str(refused.value) == "HTTP 400 invalid_request_error"


@pytest.mark.parametrize("body", [b"", b"[]", b"oops", b'{"a": NaN}', b'"text"', b"\xff"])
async def test_a_200_that_is_no_json_object_is_malformed(body):
    with pytest.raises(JudgeError) as failed:
        await post_to(StubReply(body))
    assert failed.value.reason is FailReason.MALFORMED


async def test_a_response_as_large_as_allowed_is_read_and_a_larger_one_is_not():
    whole = b'{"a": "' + b"x" * (MAX_REPLY - 9) + b'"}'
    assert len(whole) == MAX_REPLY
    assert await post_to(StubReply(whole))
    with pytest.raises(JudgeError, match="more than"):
        await post_to(StubReply(whole + b" "))


async def test_a_compressed_response_is_refused_since_none_was_asked_for():
    with pytest.raises(JudgeError, match="compressed"):
        await post_to(StubReply(b"\x1f\x8b", headers={"Content-Encoding": "gzip"}))


async def test_nobody_listening_is_unavailable_and_retryable():
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    endpoint = HttpEndpoint(f"http://127.0.0.1:{port}/v1", {}, FakeClock(), timeout_s=5)
    with pytest.raises(JudgeError) as failed:
        await endpoint.post(b"{}")
    assert (failed.value.reason, failed.value.retryable) == (FailReason.UNAVAILABLE, True)
    await endpoint.aclose()


async def test_a_server_that_hangs_up_is_unavailable_and_retryable():
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    endpoint = HttpEndpoint(f"http://127.0.0.1:{port}/v1", {}, FakeClock(), timeout_s=5)
    with pytest.raises(JudgeError) as failed:
        await endpoint.post(b"{}")
    assert (failed.value.reason, failed.value.retryable) == (FailReason.UNAVAILABLE, True)
    await endpoint.aclose()
    server.close()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("86400", 86_400.0),
        ("-5", -5.0),
        (formatdate(NOW + 90, usegmt=True), 90.0),
        (formatdate(NOW - 90, usegmt=True), -90.0),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("9" * 5000, math.inf),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, seconds):
    assert retry_after(header, NOW) == seconds
