"""How a real server refuses, breaks off and dies, and what becomes of that."""

import asyncio
import signal
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import aiohttp
import pytest

from evaluators.evaluation import FailReason, SkipReason
from evaluators.facets import Facet
from evaluators.judges.base import JudgeError, NotJudgedError
from evaluators.judges.openai import _response_format
from tests.llm.calls import samples
from tests.llm.overheard import overheard
from tests.llm.server import MODEL, LlmServer, require_llm
from tests.samples import sample
from tests.servers import until

pytestmark = pytest.mark.timeout(300)

KEY = "hush"
WINDOW = 512
"""Tokens: hardly more than a prompt. The server takes multiples of 256."""

FIT = frozenset({Facet.ANSWER_FIT})
RELEVANCE = frozenset({Facet.CHUNK_RELEVANCE})


async def failure(base_url: str, facets: frozenset[Facet] = FIT, **settings: object) -> JudgeError:
    async with overheard(base_url, **settings) as (judge, _):
        with pytest.raises(JudgeError) as failed:
            await judge.ask(samples(1)[0], facets)
    return failed.value


async def test_a_reply_cut_by_the_token_limit_is_truncated_and_doubled_once(llm: LlmServer) -> None:
    async with overheard(llm.base_url, max_output_tokens=4) as (judge, heard):
        outcomes = []
        for _ in range(2):
            with pytest.raises(JudgeError) as failed:
                await judge.ask(samples(1)[0], FIT)
            outcomes.append((failed.value.reason, failed.value.retryable, failed.value.usage.output_tokens))
    assert [one["choices"][0]["finish_reason"] for one in heard.responses] == ["length", "length"]
    assert outcomes == [(FailReason.TRUNCATED, True, 4), (FailReason.TRUNCATED, False, 8)]


async def test_the_newer_name_of_the_limit_is_taken_too(llm: LlmServer) -> None:
    async with overheard(llm.base_url, max_output_tokens=4) as (judge, heard):
        judge._dialect = replace(judge._dialect, limit_field="max_completion_tokens")
        with pytest.raises(JudgeError):
            await judge.ask(samples(1)[0], FIT)
    assert "max_tokens" not in heard.requests[0]
    assert heard.responses[0]["usage"]["completion_tokens"] == 4


@pytest.mark.parametrize("facets", [{facet} for facet in Facet if facet is not Facet.GRADE], ids="".join)
async def test_the_schema_of_every_facet_is_taken(llm: LlmServer, facets: set[Facet]) -> None:
    body = {
        "model": MODEL,
        "messages": [{"role": "user", "content": "?"}],
        "max_tokens": 1,
        "response_format": _response_format("json_schema", frozenset(facets)),
    }
    async with aiohttp.ClientSession() as session, session.post(f"{llm.base_url}/chat/completions", json=body) as got:
        assert got.status == 200, await got.text()


async def test_a_wrong_path_is_not_asked_again_and_says_what_to_look_at(llm: LlmServer) -> None:
    error = await failure(f"{llm.base_url}/v1")
    assert (error.reason, error.retryable) == (FailReason.UNAVAILABLE, False)
    assert "base_url" in str(error)


async def test_a_context_over_the_servers_window_is_skipped(llm: LlmServer) -> None:
    long = sample(chunks=("Refunds are paid within 30 days. " * 400,))
    async with overheard(llm.base_url) as (judge, _):
        with pytest.raises(NotJudgedError) as skipped:
            await judge.ask(long, RELEVANCE)
    assert skipped.value.reason is SkipReason.TOO_LONG


async def test_a_call_that_took_too_long_frees_the_servers_slot(llm: LlmServer) -> None:
    error = await failure(llm.base_url, timeout_s=0.3)
    assert (error.reason, error.retryable) == (FailReason.TIMEOUT, True)
    await until(lambda: not llm.is_busy(), 60)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlmServer]:
    """A server just launched, which wants a key. Hardly more than a prompt fits, and its model comes to no end."""
    require_llm()
    server = LlmServer(tmp_path_factory.mktemp("small"), context=WINDOW, api_key=KEY, prompted=False)
    server.launch()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def loaded(small: LlmServer) -> LlmServer:
    small.wait()
    return small


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("JUDGE_KEY", KEY)
    return {"api_key_env": "JUDGE_KEY"}


async def test_a_server_that_still_loads_its_model_is_to_be_asked_again(
    small: LlmServer, keyed: dict[str, Any]
) -> None:
    failed: list[JudgeError] = []
    async with overheard(small.base_url, max_output_tokens=1, **keyed) as (judge, _):
        while not failed or failed[-1].reason is not FailReason.TRUNCATED:
            with pytest.raises(JudgeError) as error:
                await judge.ask(samples(1)[0], RELEVANCE)
            failed.append(error.value)
            await asyncio.sleep(0.05)
    assert {(error.reason, error.retryable) for error in failed[:-1]} == {(FailReason.UNAVAILABLE, True)}


async def test_a_wrong_key_is_said_and_not_tried_again(loaded: LlmServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "not the key")
    error = await failure(loaded.base_url, api_key_env="JUDGE_KEY")
    assert (error.reason, error.retryable) == (FailReason.UNAUTHORIZED, False)


async def test_a_reply_that_filled_the_servers_window_is_truncated_and_says_so(
    loaded: LlmServer, keyed: dict[str, Any]
) -> None:
    error = await failure(loaded.base_url, RELEVANCE, **keyed)
    assert error.reason is FailReason.TRUNCATED
    assert error.usage.input_tokens + error.usage.output_tokens in range(WINDOW - 2, WINDOW + 2)
    assert "is the server's context full" in error.detail


async def test_a_server_that_dies_in_the_midst_of_a_call_is_to_be_asked_again(
    loaded: LlmServer, keyed: dict[str, Any]
) -> None:
    call = asyncio.create_task(failure(loaded.base_url, RELEVANCE, **keyed))
    await until(lambda: asyncio.to_thread(loaded.is_busy), 60)
    loaded.stop(signal.SIGKILL)
    error = await call
    assert (error.reason, error.retryable) == (FailReason.UNAVAILABLE, True)
