import sqlite3
from pathlib import Path

import pytest

from alerts.outbox_file import MAX_PENDING, OutboxFile
from alerts.outbox_store import Kept
from alerts.signals import SignalState
from tests.alerts.test_outbox import FIRING, RESOLVED, signal
from tests.contracts.test_notifier import signal as full_signal

KEPT = Kept(full_signal(), 1_800_000_000.0, FIRING, 1_800_000_060.0)


def test_what_is_kept_is_found_again_whole(tmp_path: Path) -> None:
    file = OutboxFile(tmp_path / "outbox.db")
    file.keep("slack", KEPT.signal.fingerprint, KEPT)
    file.close()
    again = OutboxFile(tmp_path / "outbox.db")
    assert again.load("slack") == [KEPT]
    assert again.load("other") == []
    again.keep("slack", KEPT.signal.fingerprint, None)
    again.flush()
    assert again.load("slack") == []
    again.close()


def test_a_kill_loses_nothing_that_was_flushed(tmp_path: Path) -> None:
    file = OutboxFile(tmp_path / "outbox.db")
    file.keep("slack", "f", KEPT)
    file.flush()
    assert len(OutboxFile(tmp_path / "outbox.db").load("slack")) == 1


def test_nobody_else_reads_the_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "outbox.db"
    OutboxFile(path).load("slack")
    assert path.stat().st_mode & 0o077 == 0


def test_without_a_path_nothing_is_kept() -> None:
    file = OutboxFile(None)
    file.keep("slack", "f", KEPT)
    file.close()
    assert file.load("slack") == []
    assert file.degraded is None


def test_a_notifier_that_is_gone_leaves_nothing(tmp_path: Path) -> None:
    file = OutboxFile(tmp_path / "outbox.db")
    for name in ("old", "new"):
        file.keep(name, "f", KEPT)
    file.flush()
    file.forget_others(["new"])
    assert (file.load("old"), len(file.load("new"))) == ([], 1)
    file.close()


def test_a_damaged_file_is_set_aside_and_a_fresh_one_begun(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "outbox.db"
    path.write_bytes(b"not a database, but long enough to be looked at" * 100)
    file = OutboxFile(path)
    assert file.load("slack") == []
    assert "would not survive a restart" in caplog.text
    file.keep("slack", "f", KEPT)
    file.flush()
    assert file.degraded is None
    assert len(file.load("slack")) == 1
    assert (tmp_path / "outbox.db.corrupt").exists()
    file.close()


def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "outbox.db"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")
    file = OutboxFile(path)
    file.keep("slack", "f", KEPT)
    file.flush()
    assert file.degraded is not None
    assert "newer groundwatch" in file.degraded
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (99,)


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE invoices (id INTEGER)")
    before = path.read_bytes()
    file = OutboxFile(path)
    file.keep("slack", "f", KEPT)
    file.flush()
    assert file.degraded is not None
    assert "another program" in file.degraded
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_written_is_said_once_and_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocker = tmp_path / "blocker"
    blocker.write_text("")
    file = OutboxFile(blocker / "outbox.db")
    for _ in range(3):
        file.keep("slack", "f", KEPT)
        file.flush()
    assert len(caplog.records) == 1
    blocker.unlink()
    file.flush()
    assert file.degraded is None
    assert len(file.load("slack")) == 1
    file.close()


def test_a_file_that_is_locked_or_full_costs_no_time_and_recovers(tmp_path: Path) -> None:
    path = tmp_path / "outbox.db"
    file = OutboxFile(path)
    assert file.load("slack") == []
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    file.keep("slack", "f", KEPT)
    file.flush()
    assert file.degraded is not None
    assert "locked" in file.degraded
    other.execute("ROLLBACK")
    other.close()
    file.flush()
    assert file.degraded is None
    assert len(file.load("slack")) == 1
    file.close()


def test_what_waits_for_a_broken_file_is_bounded_and_counted(tmp_path: Path) -> None:
    blocker = tmp_path / "blocker"
    blocker.write_text("")
    file = OutboxFile(blocker / "outbox.db")
    for number in range(MAX_PENDING + 5):
        file.keep("slack", str(number), None)
    file.keep("slack", "0", KEPT)
    assert file.lost == 5


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE outbox SET signal = '{}' WHERE fingerprint = 'f'",
        "UPDATE outbox SET sent_state = 'unheard' WHERE fingerprint = 'f'",
    ],
)
def test_a_row_that_cannot_be_read_costs_no_other(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "outbox.db"
    file = OutboxFile(path)
    file.keep("slack", "f", KEPT)
    file.keep("slack", "g", Kept(signal(RESOLVED), 1.0, SignalState.FIRING, 2.0))
    file.close()
    with sqlite3.connect(path) as db:
        db.execute(damage)
    assert [kept.signal.state for kept in OutboxFile(path).load("slack")] == [RESOLVED]
