"""Chunks that came as ids get their text from a store that the operator named."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from alerts.exposition import Metrics
from collector.chunk_stores.base import ChunkStore
from collector.chunk_stores.registry import build_store
from collector.chunk_stores.resolver import ChunkResolver
from collector.chunk_stores.settings import HttpStoreSettings, SqliteStoreSettings
from collector.config import parse
from collector.conventions.context_settings import ContextSettings
from collector.conventions.reader import TraceReader
from evaluators.errors import PermanentError
from evaluators.sample import Chunk, RagSample, Readiness
from tests.collector.handmade import ANSWER, QUESTION, REFUNDS, SHIPPING, closed
from tests.collector.test_conventions_from_prompt import PROMPT, chat, found
from tests.collector.test_pipeline import Line
from tests.fakes import FakeClock

TEXTS = {"kb-1": REFUNDS, "kb-2": SHIPPING, "a/../b?c=d#e": "odd"}
SAMPLE = RagSample(
    "0" * 32, "shop", Readiness.NO_TEXT, QUESTION, (Chunk(None, "kb-1"), Chunk(None, "kb-2")), ANSWER, reason="ids only"
)


class Shelf:
    """An HTTP server with documents under /chunks/<id>."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answer: Callable[[str], web.StreamResponse] = self._text
        self.gate = asyncio.Event()
        self.gate.set()
        self.port = 0

    def _text(self, key: str) -> web.StreamResponse:
        return web.Response(text=TEXTS[key]) if key in TEXTS else web.Response(status=404)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.raw_path)
        await self.gate.wait()
        return self.answer(request.match_info["key"])

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["Shelf"]:
        app = web.Application()
        app.router.add_get("/chunks/{key}", self.handle)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            await runner.cleanup()

    def settings(self, **more: object) -> HttpStoreSettings:
        url = f"http://127.0.0.1:{self.port}/chunks/{{id}}"
        return HttpStoreSettings.model_validate({"type": "http", "url": url, **more})


@asynccontextmanager
async def resolving(
    settings: HttpStoreSettings | SqliteStoreSettings, store: ChunkStore | None = None
) -> AsyncIterator[tuple[ChunkResolver, Metrics]]:
    metrics = Metrics(FakeClock())
    resolver = ChunkResolver(store or build_store(settings), settings, metrics.series, FakeClock())
    await resolver.start()
    try:
        yield resolver, metrics
    finally:
        await resolver.close()


async def resolved(resolver: ChunkResolver, sample: RagSample = SAMPLE) -> RagSample:
    done: list[RagSample] = []
    resolver.submit(sample, done.append)
    await resolver.drain(10)
    (result,) = done
    return result


def count(metrics: Metrics, outcome: str) -> float:
    wanted = f'groundwatch_chunk_store_lookups_total{{outcome="{outcome}"}} '
    lines = metrics.render()[0].decode().splitlines()
    return next(float(line.removeprefix(wanted)) for line in lines if line.startswith(wanted))


async def test_ids_become_texts_and_the_sample_can_be_judged() -> None:
    async with Shelf().serving() as shelf, resolving(shelf.settings()) as (resolver, metrics):
        assert resolver.wants(SAMPLE)
        sample = await resolved(resolver)
        assert [(chunk.id, chunk.text) for chunk in sample.chunks] == [("kb-1", REFUNDS), ("kb-2", SHIPPING)]
        assert (sample.readiness, sample.incomplete) == (Readiness.RAG, False)
        assert "chunk store" in sample.reason
        assert count(metrics, "found") == 2


async def test_an_id_is_quoted_and_cannot_leave_its_place() -> None:
    async with Shelf().serving() as shelf, resolving(shelf.settings()) as (resolver, _):
        odd = RagSample("0" * 32, "shop", Readiness.NO_TEXT, QUESTION, (Chunk(None, "a/../b?c=d#e"),), ANSWER)
        assert [chunk.text for chunk in (await resolved(resolver, odd)).chunks] == ["odd"]
        assert shelf.asked == ["/chunks/a%2F..%2Fb%3Fc%3Dd%23e"]
        for key in ("..", ".", "x" * 600):
            bad = RagSample("0" * 32, "shop", Readiness.NO_TEXT, QUESTION, (Chunk(None, key),), ANSWER)
            assert (await resolved(resolver, bad)).readiness is Readiness.NO_TEXT
        assert len(shelf.asked) == 1


async def test_077_a_redirect_is_not_followed() -> None:
    async with Shelf().serving() as shelf, resolving(shelf.settings()) as (resolver, metrics):
        shelf.answer = lambda _: web.Response(status=302, headers={"Location": f"http://127.0.0.1:{shelf.port}/secret"})
        assert (await resolved(resolver)) == SAMPLE
        assert all(path.startswith("/chunks/") for path in shelf.asked)
        assert count(metrics, "failed") == 2


@pytest.mark.parametrize("size", [2000, 1 << 20])
async def test_a_document_over_the_limit_is_a_failure(size: int) -> None:
    async with (
        Shelf().serving() as shelf,
        resolving(shelf.settings(max_text_bytes=1024)) as (resolver, metrics),
    ):
        shelf.answer = lambda _: web.Response(text="x" * size)
        assert (await resolved(resolver)).readiness is Readiness.NO_TEXT
        assert count(metrics, "failed") == 2


async def test_a_store_that_hangs_is_given_up_and_the_sample_goes_on() -> None:
    async with Shelf().serving() as shelf, resolving(shelf.settings(timeout_s=0.1)) as (resolver, metrics):
        shelf.gate.clear()
        assert await resolved(resolver) == SAMPLE
        assert count(metrics, "failed") == 2
        shelf.gate.set()
        assert (await resolved(resolver)).readiness is Readiness.RAG


async def test_texts_and_gaps_are_remembered_for_a_while() -> None:
    async with Shelf().serving() as shelf:
        settings, clock, metrics = shelf.settings(cache_ttl_s=60), FakeClock(), Metrics(FakeClock())
        resolver = ChunkResolver(build_store(settings), settings, metrics.series, clock)
        await resolver.start()
        sample = RagSample(
            "0" * 32, "shop", Readiness.NO_TEXT, QUESTION, (Chunk(None, "kb-1"), Chunk(None, "gone")), ANSWER
        )
        for _ in range(3):
            assert (await resolved(resolver, sample)).incomplete
        assert len(shelf.asked) == 2
        assert (count(metrics, "cached"), count(metrics, "missing")) == (4, 1)
        clock.advance(61)
        await resolved(resolver, sample)
        assert len(shelf.asked) == 4
        await resolver.close()
        await resolver.close()


async def test_samples_that_ask_for_the_same_at_once_share_one_request() -> None:
    async with Shelf().serving() as shelf, resolving(shelf.settings()) as (resolver, _):
        done: list[RagSample] = []
        shelf.gate.clear()
        for _ in range(20):
            resolver.submit(SAMPLE, done.append)
        await asyncio.sleep(0.05)
        shelf.gate.set()
        await resolver.drain(10)
        assert (len(done), sorted(shelf.asked)) == (20, ["/chunks/kb-1", "/chunks/kb-2"])


async def test_above_the_bound_samples_go_on_at_once_and_are_counted() -> None:
    async with Shelf().serving() as shelf, resolving(shelf.settings(max_pending=1)) as (resolver, metrics):
        done: list[RagSample] = []
        shelf.gate.clear()
        resolver.submit(SAMPLE, done.append)
        assert not resolver.has_room
        resolver.submit(SAMPLE, done.append)
        assert done == [SAMPLE]
        assert count(metrics, "overflow") == 1
        shelf.gate.set()


async def test_at_the_end_what_is_still_looked_up_goes_on_without_texts() -> None:
    async with Shelf().serving() as shelf, resolving(shelf.settings(timeout_s=1)) as (resolver, _):
        done: list[RagSample] = []
        shelf.gate.clear()
        resolver.submit(SAMPLE, done.append)
        await resolver.drain(0)
        assert done == [SAMPLE]
        shelf.gate.set()


async def test_json_answers_are_followed_to_the_text() -> None:
    async with Shelf().serving() as shelf, resolving(shelf.settings(json_path="hits.0.text")) as (resolver, metrics):
        shelf.answer = lambda key: web.json_response({"hits": [{"text": TEXTS[key]}]} if key == "kb-1" else {})
        sample = await resolved(resolver)
        assert [chunk.text for chunk in sample.chunks] == [REFUNDS, None]
        assert sample.incomplete
        assert count(metrics, "failed") == 1


async def test_the_token_is_sent_and_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = HttpStoreSettings(type="http", url="http://127.0.0.1/{id}", token_env="SHELF_TOKEN")
    monkeypatch.delenv("SHELF_TOKEN", raising=False)
    with pytest.raises(PermanentError, match="SHELF_TOKEN"):
        build_store(settings)


def database(path: Path) -> Path:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE chunks (id TEXT PRIMARY KEY, body TEXT)")
        connection.executemany("INSERT INTO chunks VALUES (?, ?)", TEXTS.items())
    connection.close()
    return path


async def test_sqlite_answers_by_id_and_data_is_no_sql(tmp_path: Path) -> None:
    query = "SELECT body FROM chunks WHERE id = :id"
    settings = SqliteStoreSettings(type="sqlite", path=database(tmp_path / "kb.db"), query=query)
    async with resolving(settings) as (resolver, metrics):
        assert [chunk.text for chunk in (await resolved(resolver)).chunks] == [REFUNDS, SHIPPING]
        evil = RagSample("0" * 32, "shop", Readiness.NO_TEXT, QUESTION, (Chunk(None, "' OR 1=1 --"),), ANSWER)
        assert (await resolved(resolver, evil)).readiness is Readiness.NO_TEXT
        assert count(metrics, "missing") == 1


async def test_sqlite_cannot_be_written_and_a_query_without_end_is_stopped(tmp_path: Path) -> None:
    path = database(tmp_path / "kb.db")
    writing = SqliteStoreSettings(type="sqlite", path=path, query="DELETE FROM chunks WHERE :id = '' RETURNING body")
    with pytest.raises(PermanentError, match="readonly"):
        await build_store(writing).start()
    endless = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n WHERE :id IS NOT NULL"
    )
    settings = SqliteStoreSettings(type="sqlite", path=path, query=endless, timeout_s=0.1)
    store = build_store(settings)
    with pytest.raises(PermanentError, match="interrupted"):
        await store.start()


@pytest.mark.parametrize("query", ["SELECT nothing FROM chunks WHERE id = :id", "SELEC :id"])
async def test_a_wrong_query_or_file_stops_the_start(tmp_path: Path, query: str) -> None:
    for path in (database(tmp_path / "kb.db"), tmp_path / "none.db"):
        with pytest.raises(PermanentError, match="chunk_store"):
            await build_store(SqliteStoreSettings(type="sqlite", path=path, query=query)).start()


@pytest.mark.parametrize(
    "wrong",
    [
        "{type: http, url: 'http://kb/chunks'}",
        "{type: http, url: 'http://{id}/chunks'}",
        "{type: http, url: 'file:///{id}'}",
        "{type: http, url: 'http://me:secret@kb/{id}'}",
        "{type: sqlite, path: kb.db, query: SELECT 1}",
        "{type: redis, url: x}",
    ],
)
def test_settings_that_cannot_work_are_refused(wrong: str) -> None:
    with pytest.raises(PermanentError, match="chunk_store") as caught:
        parse(f"chunk_store: {wrong}")
    assert "secret" not in str(caught.value)


async def test_the_store_wins_over_the_prompt() -> None:
    sample = TraceReader(settings=ContextSettings(from_prompt=True)).read(closed(found(), chat(("user", PROMPT))))
    async with Shelf().serving() as shelf, resolving(shelf.settings()) as (resolver, _):
        assert [chunk.text for chunk in (await resolved(resolver, sample)).chunks] == [REFUNDS, SHIPPING]


async def test_masked_texts_are_not_looked_up() -> None:
    masked = '[{"id": "kb-1", "content": "__REDACTED__"}]'
    sample = TraceReader().read(closed(found(masked), chat(("user", PROMPT))))
    assert [chunk.id for chunk in sample.chunks] == ["kb-1"]
    async with Shelf().serving() as shelf, resolving(shelf.settings()) as (resolver, _):
        assert not resolver.wants(sample)


async def test_the_pipeline_judges_what_the_store_completed() -> None:
    async with Shelf().serving() as shelf, resolving(shelf.settings()) as (resolver, _):
        line = Line(resolver=resolver)
        shelf.gate.clear()
        line.take([found(), chat(("user", PROMPT))])
        await line.pipeline.drain(60)
        assert line.dispatched.submitted == []
        shelf.gate.set()
        await resolver.drain(10)
        ((sample, _, _),) = line.dispatched.submitted
        assert [chunk.text for chunk in sample.context] == [REFUNDS, SHIPPING]
        assert line.value('groundwatch_traces_total{outcome="rag",service="shop"}') == 1
