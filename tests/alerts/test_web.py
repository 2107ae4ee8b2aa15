import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import aiohttp
import pytest
from pydantic import SecretStr, ValidationError

from alerts.evidence.style import STYLE_HASH
from alerts.exposition import Metrics
from alerts.store import VerdictStore
from alerts.web import Web, WebSettings
from evaluators.errors import PermanentError
from tests.fakes import FakeClock
from tests.verdicts import contradicted, good, trace_id


@asynccontextmanager
async def served(
    health: Mapping[str, bool] | None = None, token: str | None = None, trace_url: str = ""
) -> AsyncIterator[tuple[aiohttp.ClientSession, VerdictStore]]:
    clock = FakeClock()
    store = VerdictStore(clock)
    settings = WebSettings(port=0, token=SecretStr(token) if token else None)
    web = Web(settings, Metrics(clock), store, lambda: health or {"started": True}, trace_url=trace_url)
    await web.start()
    try:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{web.port}") as session:
            yield session, store
    finally:
        await web.stop()


async def test_metrics_are_text_or_openmetrics_as_the_scraper_asks() -> None:
    async with served() as (http, _):
        async with http.get("/metrics") as response:
            assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            assert not (await response.text()).endswith("# EOF\n")
        async with http.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"}) as response:
            assert response.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
            assert (await response.text()).endswith("# EOF\n")


async def test_the_monitor_lives_while_its_loop_turns() -> None:
    async with served() as (http, _), http.get("/healthz") as response:
        assert (response.status, await response.text()) == (200, "ok\n")


@pytest.mark.parametrize(
    ("health", "status"),
    [
        ({"started": True, "judge lexical": True}, 200),
        ({"started": True, "judge lexical": False}, 200),
        ({"started": False, "judge lexical": True}, 503),
        ({"started": True, "receivers": False}, 503),
    ],
)
async def test_readiness_depends_on_what_takes_traces_and_shows_the_rest(health: dict[str, bool], status: int) -> None:
    async with served(health) as (http, _), http.get("/readyz") as response:
        assert response.status == status
        assert await response.json() == {"ready": status == 200, "components": health}


async def test_evidence_is_a_page_for_people_and_json_for_programs() -> None:
    async with served(trace_url="https://tempo.example.org/trace/{trace_id}") as (http, store):
        store.record(contradicted(1))
        path = f"/traces/{trace_id(1)}"
        async with http.get(path) as response:
            assert response.content_type == "text/html"
            page = await response.text()
            assert "90 days" in page
            assert f"https://tempo.example.org/trace/{trace_id(1)}" in page
        async with http.get(path, params={"format": "json"}) as response:
            assert (await response.json())["trace_id"] == trace_id(1)
        async with http.get(path, headers={"Accept": "application/json"}) as response:
            assert response.content_type == "application/json"


async def test_recent_traces_are_listed_and_filtered() -> None:
    async with served() as (http, store):
        store.record(contradicted(1))
        store.record(good(2, service="bot"))
        async with http.get("/traces") as response:
            assert "shop-assistant" in await response.text()
        async with http.get("/traces", params={"format": "json", "service": "bot"}) as response:
            assert [one["trace_id"] for one in (await response.json())["traces"]] == [trace_id(2)]
        async with http.get("/traces", params={"format": "json", "limit": "1"}) as response:
            assert len((await response.json())["traces"]) == 1
        async with http.get("/traces", params={"format": "json", "limit": "-1e9"}) as response:
            assert response.status == 200


async def test_pages_allow_their_own_style_and_nothing_else() -> None:
    async with served() as (http, store):
        store.record(contradicted(1))
        async with http.get(f"/traces/{trace_id(1)}") as response:
            policy = response.headers["Content-Security-Policy"]
            assert policy.startswith(f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'")
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/traces/" + "f" * 32, "/traces/x", "/traces/..%2f..%2fetc%2fpasswd", "/nothing"])
async def test_what_is_not_there_is_404(path: str) -> None:
    async with served() as (http, _), http.get(path) as response:
        assert response.status == 404


async def test_what_may_have_become_of_a_trace_is_said_on_the_page_and_in_json() -> None:
    async with served() as (http, _):
        for form in ("html", "json"):
            async with http.get("/traces/" + "f" * 32, params={"format": form}) as response:
                assert "or it had no RAG marker." in await response.text()


async def test_only_reading_is_allowed() -> None:
    async with served() as (http, _), http.post("/traces", data=b"x") as response:
        assert response.status == 405


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer s3cret"}, 200),
        ({"Authorization": aiohttp.encode_basic_auth("anybody", "s3cret")}, 200),
        ({"Authorization": aiohttp.encode_basic_auth("s3cret", "")}, 401),
        ({"Authorization": "Basic !!!"}, 401),
        ({"Authorization": "Digest s3cret"}, 401),
    ],
)
async def test_content_is_shown_for_the_token_alone(headers: dict[str, str], status: int) -> None:
    async with served(token="s3cret") as (http, store):
        store.record(contradicted(1))
        for path in ("/traces", f"/traces/{trace_id(1)}"):
            async with http.get(path, headers=headers) as response:
                assert response.status == status
                assert ("90 days" in await response.text()) is (status == 200)
                assert ("WWW-Authenticate" in response.headers) is (status == 401)
        for path in ("/metrics", "/healthz", "/readyz"):
            async with http.get(path, headers=headers) as response:
                assert response.status == 200


@pytest.mark.parametrize(
    ("host", "status"), [("127.0.0.1:9464", 200), ("localhost", 200), ("[::1]:80", 200), ("evil.example.org", 403)]
)
async def test_a_foreign_name_for_this_machine_reads_no_content(host: str, status: int) -> None:
    async with served() as (http, _), http.get("/traces", headers={"Host": host}) as response:
        assert response.status == status
    async with served(token="t") as (http, _):
        headers = {"Host": host, "Authorization": "Bearer t"}
        async with http.get("/traces", headers=headers) as response:
            assert response.status == 200


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET /" + b"a" * 10_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\n\r\n",
        b"GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
async def test_what_is_no_http_is_refused_without_a_word_in_the_log(
    garbage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with served() as (http, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", http._base_url.port)  # type: ignore[union-attr]
        writer.write(garbage)
        answer = await asyncio.wait_for(reader.readline(), 5)
        writer.close()
    assert b" 400 " in answer
    assert not caplog.records


async def test_an_error_of_our_own_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with served(health=None) as (http, store):
        store.recent = None  # type: ignore[assignment, method-assign]
        async with http.get("/traces") as response:
            assert response.status == 500
            assert "NoneType" not in await response.text()
    assert "Traceback" in caplog.text


async def test_a_taken_port_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        web = Web(WebSettings(port=port), Metrics(FakeClock()), VerdictStore(), dict)
        with pytest.raises(PermanentError, match=f"web.port: cannot listen on 127.0.0.1:{port}"):
            await web.start()


async def test_stopping_twice_or_before_the_start_is_no_error() -> None:
    web = Web(WebSettings(port=0), Metrics(FakeClock()), VerdictStore(), dict)
    await web.stop()
    await web.stop()


def test_settings_name_the_variable_that_is_missing() -> None:
    with pytest.raises(ValidationError, match="the environment variable GROUNDWATCH_NOT_SET is not set"):
        WebSettings(token_env="GROUNDWATCH_NOT_SET")
