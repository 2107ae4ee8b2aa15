"""Between reading and judging: chunks that came without text get it from a store."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from alerts.series import SeriesRegistry
from collector.chunk_stores.base import MAX_ID_CHARS, ChunkStore
from collector.chunk_stores.settings import HttpStoreSettings, SqliteStoreSettings
from collector.conventions.prompt_context import SOURCE as PROMPT
from evaluators.clock import Clock
from evaluators.errors import GroundwatchError
from evaluators.sample import Chunk, RagSample, Readiness

log = logging.getLogger(__name__)

OUTCOMES = ("found", "missing", "failed", "cached", "overflow")

Done = Callable[[RagSample], None]


class ChunkResolver:
    """Looks texts up, several samples at once, each sample bounded in chunks and all in number.

    `submit` hands the sample to `done`: at once where too many wait, else when its chunks were looked up. What cannot
    be resolved stays without text, and a sample resolved in part is incomplete.
    """

    def __init__(
        self,
        store: ChunkStore,
        settings: HttpStoreSettings | SqliteStoreSettings,
        series: SeriesRegistry,
        clock: Clock,
    ) -> None:
        self._store = store
        self._settings = settings
        self._cache = _Cache(settings.cache_bytes, settings.cache_ttl_s, clock)
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._pending: set[asyncio.Task[None]] = set()
        self._asked: dict[str, asyncio.Future[str | None]] = {}
        self._lookups = series.counter("chunk_store_lookups", "Documents looked up, by what became of it.", "outcome")
        for outcome in OUTCOMES:
            self._lookups(outcome)

    @property
    def has_room(self) -> bool:
        """Whether another sample may wait."""
        return len(self._pending) < self._settings.max_pending

    async def start(self) -> None:
        """Open the store. Raises PermanentError."""
        await self._store.start()

    def wants(self, sample: RagSample) -> bool:
        """Whether a chunk of the sample has an id and no text, and nobody hid the text."""
        return any(_is_open(chunk) for chunk in sample.chunks)

    def submit(self, sample: RagSample, done: Done) -> None:
        """Look up what the sample lacks; never waits and never raises."""
        if not self.has_room:
            self._lookups("overflow").inc()
            done(sample)
            return
        task = asyncio.ensure_future(self._resolve(sample, done))
        self._pending.add(task)
        task.add_done_callback(self._ended)

    async def drain(self, deadline_s: float) -> None:
        """Wait for what is under way; at the deadline the rest goes on without texts."""
        if self._pending:
            _, late = await asyncio.wait(self._pending, timeout=deadline_s)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    async def close(self) -> None:
        """Close the store. May be called before `start`, and twice."""
        await self.drain(0)
        await self._store.close()
        if self._asked:
            await asyncio.wait(set(self._asked.values()), timeout=self._settings.timeout_s)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._pending.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a sample with looked up texts could not be handed on", exc_info=error)

    async def _resolve(self, sample: RagSample, done: Done) -> None:
        wanted = [chunk.id for chunk in sample.chunks if chunk.id and _is_open(chunk)][: self._settings.max_chunks]
        texts: dict[str, str] = {}
        try:
            found = await asyncio.gather(*(self._text(document_id) for document_id in dict.fromkeys(wanted)))
            texts = {key: text for key, text in zip(dict.fromkeys(wanted), found, strict=True) if text}
        finally:
            done(completed(sample, texts) if texts else sample)

    async def _text(self, document_id: str) -> str | None:
        known, text = self._cache.get(document_id)
        if known:
            self._lookups("cached").inc()
            return text
        asked = self._asked.get(document_id)
        if asked is None:
            asked = asyncio.ensure_future(self._look_up(document_id))
            self._asked[document_id] = asked
            asked.add_done_callback(lambda _: self._asked.pop(document_id, None))
        return await asyncio.shield(asked)

    async def _look_up(self, document_id: str) -> str | None:
        text = None
        try:
            async with self._slots:
                if len(document_id) <= MAX_ID_CHARS:
                    text = await self._store.text(document_id)
        except GroundwatchError:
            self._lookups("failed").inc()
            return None
        self._lookups("missing" if text is None else "found").inc()
        self._cache.put(document_id, text)
        return text


def completed(sample: RagSample, texts: dict[str, str]) -> RagSample:
    """The sample with texts by id in its chunks, and what it can be judged by then."""
    chunks = tuple(
        replace(chunk, text=texts.get(chunk.id or "")) if _is_open(chunk) else chunk
        for chunk in sample.chunks
        if chunk.source != PROMPT
    )
    unresolved = any(_is_open(chunk) for chunk in chunks)
    readiness = Readiness.RAG
    if sample.answer is None:
        readiness = Readiness.NO_ANSWER
    elif sample.question is None:
        readiness = Readiness.NO_QUESTION
    return replace(
        sample,
        chunks=chunks,
        readiness=readiness,
        incomplete=sample.incomplete or unresolved,
        reason=f"{sample.reason}; texts of {len(texts)} documents from the chunk store",
    )


def _is_open(chunk: Chunk) -> bool:
    return chunk.text is None and bool(chunk.id) and not chunk.masked


class _Cache:
    """Texts, and ids without one, for a while; the least recently used goes first."""

    def __init__(self, max_bytes: int, ttl_s: float, clock: Clock) -> None:
        self._max_bytes = max_bytes
        self._ttl_s = ttl_s
        self._clock = clock
        self._entries: OrderedDict[str, tuple[str | None, float]] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> tuple[bool, str | None]:
        entry = self._entries.get(key)
        if entry is None or self._clock.monotonic() >= entry[1]:
            return False, None
        self._entries.move_to_end(key)
        return True, entry[0]

    def put(self, key: str, text: str | None) -> None:
        if key in self._entries:
            self._bytes -= _size(key, self._entries.pop(key)[0])
        self._entries[key] = text, self._clock.monotonic() + self._ttl_s
        self._bytes += _size(key, text)
        while self._bytes > self._max_bytes:
            old, (old_text, _) = self._entries.popitem(last=False)
            self._bytes -= _size(old, old_text)


_ENTRY_BYTES = 300


def _size(key: str, text: str | None) -> int:
    """Bytes that an entry takes, at most: Python keeps up to four a character."""
    return _ENTRY_BYTES + 4 * (len(key) + len(text or ""))
