"""Texts out of an SQLite file."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from collector.chunk_stores.settings import SqliteStoreSettings
from evaluators.errors import PermanentError, RetryableError

_Result = TypeVar("_Result")
_Row = tuple[object, ...] | None

_CHECKED_EVERY = 10_000
"""Instructions of SQLite's machine between two looks at the clock."""


class SqliteStore:
    """Asks one query per document, in a thread of its own, on a connection that cannot write."""

    def __init__(self, settings: SqliteStoreSettings) -> None:
        self._settings = settings
        self._thread: ThreadPoolExecutor | None = None
        self._connection: sqlite3.Connection | None = None
        self._give_up_at = 0.0

    async def start(self) -> None:
        """Open the file and try the query; raises PermanentError where that fails."""
        self._thread = ThreadPoolExecutor(1, "chunk-store")
        try:
            await self._run(self._open)
        except sqlite3.Error as error:
            await self.close()
            raise PermanentError(f"chunk_store: {self._settings.path}: {error}") from error

    async def text(self, document_id: str) -> str | None:
        """See ChunkStore."""
        try:
            row = await self._run(partial(self._ask, document_id))
        except sqlite3.Error as error:
            raise RetryableError(f"the chunk store cannot answer: {type(error).__name__}") from error
        if row is None or row[0] is None:
            return None
        text = row[0]
        if not isinstance(text, str):
            raise PermanentError("the query's first column is no text")
        if len(text.encode("utf-8", "replace")) > self._settings.max_text_bytes:
            raise PermanentError("a document is larger than max_text_bytes")
        return text

    async def close(self) -> None:
        """See ChunkStore."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        if self._connection is not None:
            self._connection.interrupt()
            await asyncio.get_running_loop().run_in_executor(thread, self._connection.close)
            self._connection = None
        thread.shutdown(wait=False)

    async def _run(self, work: Callable[[], _Result]) -> _Result:
        if self._thread is None:
            raise RetryableError("the chunk store is not started")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _open(self) -> None:
        uri = f"{self._settings.path.absolute().as_uri()}?mode=ro"
        self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._connection.execute("PRAGMA query_only = ON")
        self._connection.set_progress_handler(self._is_late, _CHECKED_EVERY)
        self._ask("")

    def _ask(self, document_id: str) -> _Row:
        if self._connection is None:
            raise sqlite3.OperationalError("not open")
        self._give_up_at = time.monotonic() + self._settings.timeout_s
        found: _Row = self._connection.execute(self._settings.query, {"id": document_id}).fetchone()
        return found

    def _is_late(self) -> bool:
        return time.monotonic() > self._give_up_at
