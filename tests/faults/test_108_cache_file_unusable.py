import sqlite3
import time

from evaluators.cache_file import SCHEMA
from evaluators.cache_sqlite import SqliteCache
from evaluators.clock import SystemClock
from evaluators.facets import ONLINE_FACETS
from evaluators.judges.base import JudgeReply
from tests.fakes import DispatchCounts
from tests.samples import good_answers, sample

REPLY = JudgeReply(good_answers(sample(), ONLINE_FACETS))


def opened(path):
    return SqliteCache(path, SystemClock(), DispatchCounts(), gather_s=0.01)


def eventually(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_corrupt_file_is_set_aside_and_a_fresh_one_begun(tmp_path):
    path = tmp_path / "v.db"
    path.write_bytes(b"this is no database" * 1000)
    cache = opened(path)
    assert cache.degraded is None
    cache.put(b"k", REPLY)
    cache.close()
    assert (tmp_path / "v.db.corrupt").read_bytes().startswith(b"this is no database")
    again = opened(path)
    assert again.get([b"k"]) == [REPLY]
    again.close()


def test_a_file_that_is_damaged_while_in_use_costs_misses_and_nothing_else(tmp_path):
    path = tmp_path / "v.db"
    first = opened(path)
    for number in range(500):
        first.put(b"%d" % number, REPLY)
    first.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)

    cache = opened(path)
    assert cache.get([b"7"]) == [None]
    eventually((tmp_path / "v.db.corrupt").exists)
    cache.put(b"new", REPLY)
    eventually(lambda: not cache._pending and not cache._writing)
    assert cache.get([b"new"]) == [REPLY]
    assert cache.degraded is None
    cache.close()


def test_a_file_of_a_newer_version_is_left_alone(tmp_path):
    path = tmp_path / "v.db"
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version={SCHEMA + 1}")
    db.execute("CREATE TABLE future (x)")
    db.close()
    before = path.read_bytes()
    cache = opened(path)
    assert "newer groundwatch" in cache.degraded
    cache.put(b"k", REPLY)
    cache.get([b"k"])
    cache.close()
    assert path.read_bytes() == before


def test_the_database_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "orders.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE orders (x)")
    db.close()
    before = path.read_bytes()
    cache = opened(path)
    assert "another program" in cache.degraded
    cache.put(b"k", REPLY)
    cache.close()
    assert path.read_bytes() == before


def test_a_locked_file_degrades_and_is_used_once_it_is_free(tmp_path):
    path = tmp_path / "v.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    cache = opened(path)
    assert "locked" in cache.degraded
    assert cache.get([b"k"]) == [None]
    other.execute("ROLLBACK")
    other.close()
    cache.put(b"k", REPLY)
    eventually(lambda: cache.degraded is None)
    assert cache.get([b"k"]) == [REPLY]
    cache.close()


def test_a_path_that_cannot_be_is_no_reason_to_stop(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = opened(tmp_path / "file" / "v.db")
    assert "cannot be opened" in cache.degraded
    cache.put(b"k", REPLY)
    cache.close()
