"""The cache's file: one SQLite table, written by one thread."""

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from evaluators.errors import RetryableError

SCHEMA = 1
_PAGE = 4096
_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class VerdictFile:
    """Opens itself when first written, sets a corrupt file aside, and stays within its bounds.

    `generation` grows with each opening: readers of an older one must open again. Errors are RetryableError with
    words for an operator: the next write tries anew. Not safe for concurrent use.
    """

    def __init__(self, path: Path, *, max_entries: int, max_bytes: int) -> None:
        self.path = path
        self.generation = 0
        self._max_entries = max_entries
        self._max_pages = max(max_bytes // _PAGE, 1)
        self._db: sqlite3.Connection | None = None

    def open(self) -> None:
        """Make the file ready; a corrupt one is moved to `<name>.corrupt` and a fresh one begun."""
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            if not is_corrupt(error):
                raise RetryableError(self._explain(error)) from None
            self.set_aside()
            self._retry_open()
        except OSError as error:
            raise RetryableError(f"the verdict cache {self.path} cannot be opened: {error.strerror}") from None

    def write(self, rows: Iterable[tuple[bytes, float, bytes]], expired_before: float) -> None:
        """Store (key, time, reply) rows, all or none; the oldest make room."""
        rows = list(rows)
        if self._db is None:
            self.open()
        try:
            self._write(rows, expired_before)
        except sqlite3.DatabaseError as error:
            if is_corrupt(error):
                self.set_aside()
            raise RetryableError(self._explain(error)) from None

    def set_aside(self) -> None:
        """Give up the file as it is."""
        self.close()
        set_aside(self.path)

    def close(self) -> None:
        """Close the connection; a later write opens it again."""
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
            self._db = None

    def _retry_open(self) -> None:
        try:
            self._open()
        except (sqlite3.Error, OSError) as error:
            raise RetryableError(self._explain(error)) from None

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Claims and quotes are content of traces: nobody else reads them. SQLite gives -wal and -shm the same mode.
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        db = sqlite3.connect(self.path, timeout=1.0, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(db)
        except BaseException:
            db.close()
            raise
        self._db = db
        self.generation += 1

    def _prepare(self, db: sqlite3.Connection) -> None:
        found = db.execute("PRAGMA user_version").fetchone()[0]
        if found > SCHEMA:
            raise RetryableError(f"the verdict cache {self.path} was written by a newer groundwatch and is left alone")
        if db.execute("SELECT 1 FROM sqlite_master WHERE tbl_name NOT IN ('verdicts', 'sqlite_stat1')").fetchone():
            raise RetryableError(f"{self.path} is the database of another program and is left alone")
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute(f"PRAGMA max_page_count={self._max_pages}")
        db.execute(
            "CREATE TABLE IF NOT EXISTS verdicts"
            " (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, created REAL NOT NULL, reply BLOB NOT NULL)"
        )
        db.execute(f"PRAGMA user_version={SCHEMA}")

    def _write(self, rows: list[tuple[bytes, float, bytes]], expired_before: float) -> None:
        try:
            self._insert(rows, expired_before)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
                raise
            self._halve()
            self._insert(rows, expired_before)

    def _insert(self, rows: list[tuple[bytes, float, bytes]], expired_before: float) -> None:
        """Ids grow with time, so the oldest rows are the lowest ids, and the scan ends at the first that is not due."""
        with self._transaction() as db:
            db.executemany("INSERT OR REPLACE INTO verdicts (key, created, reply) VALUES (?, ?, ?)", rows)
            db.execute("DELETE FROM verdicts WHERE id <= (SELECT max(id) FROM verdicts) - ?", (self._max_entries,))
            first = db.execute("SELECT created FROM verdicts ORDER BY id LIMIT 1").fetchone()
            if first is not None and first[0] < expired_before:
                db.execute("DELETE FROM verdicts WHERE created < ?", (expired_before,))

    def _halve(self) -> None:
        with self._transaction() as db:
            db.execute("DELETE FROM verdicts WHERE id <= (SELECT (min(id) + max(id)) / 2 FROM verdicts)")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self._db is None:
            raise RetryableError(f"the verdict cache {self.path} is not open")
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _explain(self, error: Exception) -> str:
        return f"the verdict cache {self.path} cannot be written: {error}"


def is_corrupt(error: sqlite3.Error) -> bool:
    """Whether SQLite says that the file is damaged or no database."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code & 0xFF) in _CORRUPT


def set_aside(path: Path) -> None:
    """Move a damaged file out of the way, as far as that is possible; never raises."""
    with contextlib.suppress(OSError):
        path.replace(path.with_name(path.name + ".corrupt"))
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).unlink()


def open_reader(path: Path) -> sqlite3.Connection:
    """A read-only connection that never waits for a lock: in WAL mode there is none to wait for."""
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=0, isolation_level=None)
