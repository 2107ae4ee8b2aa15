"""FAULTS 66 to 83 for every judge that asks somebody else: whatever comes back, no score is made of it."""

import contextlib
import shlex
import time

import pytest

from evaluators.evaluation import Failed, FailReason
from evaluators.judges.anthropic import AnthropicJudge, AnthropicSettings
from evaluators.judges.http_grade import HttpJudge, HttpSettings
from evaluators.judges.openai import OpenAIJudge, OpenAISettings
from evaluators.judges.subprocess import SubprocessJudge, SubprocessSettings
from tests.fakes import OpenAIStub, StubReply, api_error, completion, message
from tests.judging import judging
from tests.samples import sample

KINDS = ["openai", "anthropic", "http", "subprocess"]
VERDICT = """{"claims": [], "relevance": [{"chunk": "c1", "score": %s}, {"chunk": "c2", "score": 0.5}],
"answer": {"relevancy": 0.5, "abstained": false}}"""
GRADE = '{"score": %s, "passed": true, "reason": "fine"}'
UNUSABLE = {FailReason.MALFORMED, FailReason.INVALID_VERDICT}


def says(kind, text):
    """A reply in which the judge writes `text`."""
    if kind == "openai":
        return completion(text)
    return message(text) if kind == "anthropic" else StubReply(text.encode("utf-8", "surrogatepass"))


def template(kind):
    return VERDICT if kind in ("openai", "anthropic") else GRADE


@contextlib.asynccontextmanager
async def asking(kind, reply, tmp_path, timeout_s=5.0):
    """A dispatcher on a judge of `kind` that gets `reply`."""
    async with OpenAIStub(reply) as stub:
        here = {"model": "m", "api_key_env": None, "timeout_s": timeout_s}
        (tmp_path / "reply").write_bytes(reply.body)
        program = f"cat >/dev/null; cat {shlex.quote(str(tmp_path / 'reply'))}; sleep {reply.delay_s}"
        judge = {
            "openai": lambda: OpenAIJudge(OpenAISettings(base_url=stub.base_url, **here)),
            "anthropic": lambda: AnthropicJudge(AnthropicSettings(base_url=stub.base_url.removesuffix("/v1"), **here)),
            "http": lambda: HttpJudge(HttpSettings(url=f"{stub.base_url}/grade", timeout_s=timeout_s)),
            "subprocess": lambda: SubprocessJudge(
                SubprocessSettings(command=("sh", "-c", program), timeout_s=timeout_s)
            ),
        }[kind]()
        async with judging(judge, max_attempts=1, facets=judge.facets) as running:
            yield running


async def judged(kind, reply, tmp_path, **settings):
    async with asking(kind, reply, tmp_path, **settings) as running:
        [judgement] = await running.judge(sample())
    return judgement.result


@pytest.mark.parametrize("kind", KINDS)
async def test_a_proper_reply_is_taken(kind, tmp_path):
    assert not isinstance(await judged(kind, says(kind, template(kind) % "0.25"), tmp_path), Failed)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "null", '"0.8"', "true", "8", "-0.1", "[]"])
@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_no_score_is_a_failure(kind, number, tmp_path):
    result = await judged(kind, says(kind, template(kind) % number), tmp_path)
    assert isinstance(result, Failed)
    assert result.reason in UNUSABLE


HOSTILE = {
    "nothing": "",
    "blanks": " \n ",
    "prose": "The answer is faithful, I would say 1.0.",
    "a list": "[1.0]",
    "a word": "null",
    "an empty object": "{}",
    "cut": '{"score": 1.0, "passed": tr',
    "a good one and then a bad one": GRADE % "1.0" + " " + GRADE % "8",
    "nested": "[" * 100_000,
    "nested objects": '{"a":' * 100_000,
    "a megabyte": "x" * 1_000_000,
    "html": "<html><body>502 Bad Gateway</body></html>",
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_no_verdict_is_a_failure_and_quickly(kind, case, tmp_path):
    started = time.process_time()
    result = await judged(kind, says(kind, HOSTILE[case]), tmp_path)
    assert isinstance(result, Failed)
    assert result.reason in UNUSABLE
    assert time.process_time() - started < 2


@pytest.mark.parametrize("kind", ["openai", "anthropic", "http"])
@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, FailReason.ERROR),
        (401, FailReason.UNAUTHORIZED),
        (403, FailReason.UNAUTHORIZED),
        (404, FailReason.UNAVAILABLE),
        (429, FailReason.RATE_LIMITED),
        (500, FailReason.UNAVAILABLE),
        (529, FailReason.UNAVAILABLE),
    ],
)
async def test_a_status_is_a_failure_with_its_reason_and_shows_nothing_of_the_body(kind, status, reason, tmp_path):
    result = await judged(kind, api_error(status, "SECRET of the trace"), tmp_path)
    assert result.reason is reason
    assert "SECRET" not in result.detail


@pytest.mark.parametrize("kind", KINDS)
async def test_silence_ends_in_time(kind, tmp_path):
    result = await judged(kind, StubReply(b"", delay_s=30), tmp_path, timeout_s=0.3)
    assert result.reason is FailReason.TIMEOUT


@pytest.mark.parametrize(
    ("stop_reason", "reason"), [("refusal", FailReason.REFUSED), ("max_tokens", FailReason.TRUNCATED)]
)
async def test_a_message_that_did_not_come_to_its_end_is_a_failure(stop_reason, reason, tmp_path):
    reply = message(VERDICT % "0.25", stop_reason=stop_reason)
    assert (await judged("anthropic", reply, tmp_path)).reason is reason


@pytest.mark.parametrize("body", [b"{}", b'{"content": null}', b'{"content": [1]}', b'{"content": [{"type": "text"}]}'])
async def test_what_is_no_message_is_malformed(body, tmp_path):
    assert (await judged("anthropic", StubReply(body), tmp_path)).reason is FailReason.MALFORMED
