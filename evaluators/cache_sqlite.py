"""The cache that survives a restart: read inline, written by a thread in batches."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from evaluators.cache import Cache, CacheSettings, MemoryCache
from evaluators.cache_file import VerdictFile, is_corrupt, open_reader
from evaluators.clock import Clock
from evaluators.errors import RetryableError
from evaluators.judges.base import JudgeReply
from evaluators.reply_codec import dump_reply, load_reply

_MAX_REPLY = 64 * 1024
"""Bytes. A longer reply is rare and not worth its room."""

_MAX_IN_MEMORY = 10_000
"""Replies, about 2 KB each."""


class CacheMetrics(Protocol):
    """`result` is write_dropped or error here; the dispatcher counts hit and miss. Called from two threads."""

    def cache_request(self, result: str) -> None: ...


def open_cache(settings: CacheSettings, clock: Clock, metrics: CacheMetrics) -> Cache:
    """The cache that `settings` describe. Does not fail: what is wrong with the file is in `degraded`."""
    if settings.path is None:
        return MemoryCache(clock, max_entries=min(settings.max_entries, _MAX_IN_MEMORY), ttl_s=settings.ttl_s)
    bounds = settings.model_dump(exclude={"path", "redis"})
    return SqliteCache(settings.path, clock, metrics, **bounds)


class SqliteCache:
    """A file in WAL mode. A read is a primary-key look-up, about 20 us; a write is a put into a dict.

    Where the file cannot be used (disk full, locked, written by a newer version) it goes on without it, says so in
    `degraded`, and recovers by itself. `max_pending` bounds what waits for the writer; beyond it puts are dropped.
    `gather_s` is how long the writer waits for more before it writes, and what a crash may lose.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock,
        metrics: CacheMetrics,
        *,
        max_entries: int = 100_000,
        max_bytes: int = 512 << 20,
        ttl_s: float = 30 * 86_400.0,
        max_pending: int = 5_000,
        gather_s: float = 0.25,
    ) -> None:
        self.degraded: str | None = None
        self._clock = clock
        self._metrics = metrics
        self._ttl_s = ttl_s
        self._max_pending = max_pending
        self._gather_s = gather_s
        self._file = VerdictFile(path, max_entries=max_entries, max_bytes=max_bytes)
        self._reader: sqlite3.Connection | None = None
        self._reader_generation = 0
        self._damaged = False
        self._lock = threading.Lock()
        self._pending: dict[bytes, tuple[float, JudgeReply]] = {}
        self._writing: dict[bytes, tuple[float, JudgeReply]] = {}
        self._wake = threading.Event()
        self._closing = threading.Event()
        self._open()
        self._thread = threading.Thread(target=self._run, name="verdict-cache", daemon=True)
        self._thread.start()

    def get(self, keys: Sequence[bytes]) -> list[JudgeReply | None]:
        """Look up each key, first among what is not written yet."""
        try:
            return [self._load(key) for key in keys]
        except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
            self._metrics.cache_request("error")
            self._close_reader()
            if isinstance(error, sqlite3.Error) and is_corrupt(error):
                self._damaged = True
                self._wake.set()
            return [None] * len(keys)

    def put(self, key: bytes, reply: JudgeReply) -> None:
        """Hand `reply` to the writer."""
        with self._lock:
            if len(self._pending) < self._max_pending:
                self._pending[key] = (self._clock.wall(), reply)
                self._wake.set()
                return
        self._metrics.cache_request("write_dropped")

    def close(self) -> None:
        """Write what is pending and close the file."""
        self._closing.set()
        self._wake.set()
        self._thread.join(timeout=5.0)
        self._close_reader()

    def _load(self, key: bytes) -> JudgeReply | None:
        oldest = self._clock.wall() - self._ttl_s
        if (pending := self._pending.get(key) or self._writing.get(key)) is not None:
            return pending[1] if pending[0] >= oldest else None
        row = self._read(key)
        return load_reply(row[1]) if row is not None and row[0] >= oldest else None

    def _read(self, key: bytes) -> tuple[float, bytes] | None:
        if self._reader_generation != self._file.generation:
            self._close_reader()
        if self._reader is None:
            if self._file.generation == 0:
                return None
            self._reader_generation = self._file.generation
            self._reader = open_reader(self._file.path)
        row: tuple[float, bytes] | None = self._reader.execute(
            "SELECT created, reply FROM verdicts WHERE key = ?", (key,)
        ).fetchone()
        return row

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _open(self) -> None:
        try:
            self._file.open()
        except RetryableError as error:
            self.degraded = str(error)

    def _run(self) -> None:
        while not self._closing.is_set():
            self._wake.wait()
            self._wake.clear()
            self._closing.wait(self._gather_s)
            self._flush()
        self._flush()
        self._file.close()

    def _flush(self) -> None:
        if self._damaged:
            self._damaged = False
            self._file.set_aside()
            self._open()
        with self._lock:
            self._writing, self._pending = self._pending, {}
        if not self._writing:
            return
        rows = list(self._rows())
        try:
            self._file.write(rows, self._clock.wall() - self._ttl_s)
            self.degraded = None
        except Exception as error:  # the thread must outlive whatever a file system does
            self.degraded = str(error)
            for _ in rows:
                self._metrics.cache_request("write_dropped")
        self._writing = {}

    def _rows(self) -> Iterator[tuple[bytes, float, bytes]]:
        for key, (created, reply) in self._writing.items():
            try:
                data = dump_reply(reply)
            except TypeError:
                data = b""
            if 0 < len(data) <= _MAX_REPLY:
                yield key, created, data
            else:
                self._metrics.cache_request("write_dropped")
