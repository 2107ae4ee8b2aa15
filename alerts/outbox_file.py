"""Where outboxes survive a restart: one SQLite table, written through.

A kill loses nothing that was handed over to it. What it cannot close is the moment between a receiver's answer and the
row that notes it: a signal may then be told twice, with the same fingerprint, and is never lost.
"""

import contextlib
import logging
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter

from alerts.outbox_store import Kept
from alerts.signals import Signal, SignalState
from evaluators.cache_file import is_corrupt, set_aside

log = logging.getLogger(__name__)

SCHEMA = 1
MAX_PENDING = 20_000
_SIGNAL = TypeAdapter(Signal)
_CREATE = (
    "CREATE TABLE IF NOT EXISTS outbox (notifier TEXT, fingerprint TEXT, signal BLOB NOT NULL, since REAL NOT NULL,"
    " sent_state TEXT, sent_at REAL NOT NULL, PRIMARY KEY (notifier, fingerprint)) WITHOUT ROWID"
)


class OutboxFile:
    """Without a path it keeps nothing. `degraded` says why the file cannot be used; each flush tries again.

    `lost` counts the notes for which there was no room while it could not.
    """

    def __init__(self, path: Path | None) -> None:
        self.degraded: str | None = None
        self.lost = 0
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._pending: dict[tuple[str, str], Kept | None] = {}

    @property
    def fate(self) -> str:
        """What becomes of notifications that are left when the process ends, in words."""
        if self._path is None:
            return "they are lost: alerts.outbox_path names no file that would keep them"
        if self.degraded:
            return f"they are lost: {self.degraded}"
        return "the outbox keeps them for the next start"

    def load(self, notifier: str) -> list[Kept]:
        """What was kept for a notifier, oldest first; a row that cannot be read is left out and said."""
        if not self._ready() or self._db is None:
            return []
        query = "SELECT signal, since, sent_state, sent_at FROM outbox WHERE notifier = ? ORDER BY since"
        try:
            rows = self._db.execute(query, (notifier,)).fetchall()
        except sqlite3.Error as error:
            self._fail(error)
            return []
        return [kept for row in rows if (kept := _read(*row))]

    def forget_others(self, notifiers: Iterable[str]) -> None:
        """Remove what was kept for notifiers that are no longer configured."""
        if self._ready() and self._db is not None:
            names = tuple(notifiers)
            marks = ",".join("?" * len(names))
            with contextlib.suppress(sqlite3.Error):
                self._db.execute(f"DELETE FROM outbox WHERE notifier NOT IN ({marks})", names)  # noqa: S608  marks only

    def keep(self, notifier: str, fingerprint: str, kept: Kept | None) -> None:
        """Note an alert's state, or with None that it is settled; written by the next flush."""
        if self._path is None:
            return
        if len(self._pending) >= MAX_PENDING and (notifier, fingerprint) not in self._pending:
            self.lost += 1
            return
        self._pending[notifier, fingerprint] = kept

    def flush(self) -> None:
        """Write what was noted; what cannot be written stays noted."""
        if not self._pending or not self._ready() or self._db is None:
            return
        try:
            self._write(self._db)
        except sqlite3.Error as error:
            self._fail(error)
        else:
            self._pending.clear()
            self.degraded = None

    def close(self) -> None:
        """Write and close."""
        self.flush()
        self._disconnect()

    def _write(self, db: sqlite3.Connection) -> None:
        db.execute("BEGIN IMMEDIATE")
        try:
            for (notifier, fingerprint), kept in self._pending.items():
                if kept is None:
                    db.execute("DELETE FROM outbox WHERE notifier = ? AND fingerprint = ?", (notifier, fingerprint))
                    continue
                row = (notifier, fingerprint, _SIGNAL.dump_json(kept.signal), kept.since, kept.sent_state, kept.sent_at)
                db.execute("INSERT OR REPLACE INTO outbox VALUES (?, ?, ?, ?, ?, ?)", row)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def _ready(self) -> bool:
        if self._path is None or self._db is not None:
            return self._db is not None
        try:
            self._db = _open(self._path)
        except (sqlite3.Error, OSError) as error:
            self._fail(error)
            return False
        if self._db is None:
            self._degrade(f"{self._path} was written by a newer groundwatch, or by another program, and is left alone")
        return self._db is not None

    def _fail(self, error: Exception) -> None:
        self._disconnect()
        if self._path is not None and isinstance(error, sqlite3.Error) and is_corrupt(error):
            set_aside(self._path)
        self._degrade(f"{self._path} cannot be used: {error}")

    def _degrade(self, reason: str) -> None:
        if self.degraded is None:
            log.warning("notifications would not survive a restart: %s", reason)
        self.degraded = reason

    def _disconnect(self) -> None:
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
            self._db = None


def _open(path: Path) -> sqlite3.Connection | None:
    """A connection, or None where a newer version or another program wrote the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Signals quote traces: nobody else reads them. SQLite gives -wal and -shm the same mode.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    # Waiting for a lock would hold up the event loop; the next flush tries again.
    db = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        newer = db.execute("PRAGMA user_version").fetchone()[0] > SCHEMA
        if (
            newer
            or db.execute("SELECT 1 FROM sqlite_master WHERE tbl_name NOT IN ('outbox', 'sqlite_stat1')").fetchone()
        ):
            db.close()
            return None
        for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", _CREATE):
            db.execute(statement)
        db.execute(f"PRAGMA user_version={SCHEMA}")
    except BaseException:
        db.close()
        raise
    return db


def _read(signal: bytes, since: float, sent_state: str | None, sent_at: float) -> Kept | None:
    try:
        return Kept(_SIGNAL.validate_json(signal), since, SignalState(sent_state) if sent_state else None, sent_at)
    except ValueError:  # pydantic's, and that of a state that there is not
        log.warning("a kept notification cannot be read and is left out")
        return None
