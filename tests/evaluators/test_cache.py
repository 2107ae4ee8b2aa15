import sqlite3
import stat
import time

import pytest

from evaluators.cache import CacheSettings, MemoryCache
from evaluators.cache_sqlite import SqliteCache, open_cache
from evaluators.clock import SystemClock
from evaluators.facets import ONLINE_FACETS, ClaimSupport, ClaimVerdict, Conflict, FacetAnswers, Support
from evaluators.judges.base import JudgeReply, Usage
from tests.fakes import DispatchCounts, FakeClock
from tests.samples import good_answers, sample

CLAIM = ClaimVerdict("Claim “ü”", Support.CONTRADICTED, 1, "quote", 0.25, Conflict("number", "90", "30"))
REPLY = JudgeReply(
    FacetAnswers(
        ClaimSupport((CLAIM,)),
        *[getattr(good_answers(sample(), ONLINE_FACETS), n) for n in ("chunk_relevance", "answer_fit")],
    ),
    Usage(900, 120),
    "model-2026",
    ("cut",),
)


def keys(count):
    return [number.to_bytes(32, "big") for number in range(count)]


def written(cache, key=b"k" * 32):
    """Close, so that all is written; or wait until a reader that only looks into the file finds `key`."""
    deadline = time.monotonic() + 5
    while cache._pending or cache._writing:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(params=["memory", "sqlite"])
def any_cache(request, tmp_path):
    if request.param == "memory":
        cache = MemoryCache(FakeClock(), max_entries=100, ttl_s=3600)
    else:
        cache = SqliteCache(
            tmp_path / "v.db", FakeClock(), DispatchCounts(), max_entries=100, ttl_s=3600, gather_s=0.01
        )
    yield cache
    cache.close()


def test_what_was_put_is_found_whole_and_at_once(any_cache):
    any_cache.put(b"k" * 32, REPLY)
    assert any_cache.get([b"k" * 32, b"x" * 32]) == [REPLY, None]


def test_an_entry_ends_with_its_time(any_cache):
    any_cache.put(b"k" * 32, REPLY)
    any_cache._clock.advance(3601)
    assert any_cache.get([b"k" * 32]) == [None]


def test_the_oldest_make_room(any_cache):
    for key in keys(150):
        any_cache.put(key, REPLY)
        if isinstance(any_cache, SqliteCache) and key[-1] % 50 == 49:
            written(any_cache)
    found = [reply is not None for reply in any_cache.get(keys(150))]
    assert sum(found) == 100
    assert all(found[50:])


def test_closing_twice_is_no_error(any_cache):
    any_cache.close()


def test_verdicts_survive_a_restart(tmp_path):
    first = SqliteCache(tmp_path / "v.db", SystemClock(), DispatchCounts())
    first.put(b"k" * 32, REPLY)
    first.close()
    second = SqliteCache(tmp_path / "v.db", SystemClock(), DispatchCounts())
    assert second.get([b"k" * 32]) == [REPLY]
    second.close()


def test_nobody_else_reads_the_file(tmp_path):
    cache = SqliteCache(tmp_path / "deep" / "v.db", SystemClock(), DispatchCounts())
    cache.put(b"k" * 32, REPLY)
    written(cache)
    files = list((tmp_path / "deep").iterdir())
    assert len(files) == 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    cache.close()


def test_more_than_the_writer_can_take_is_dropped_and_counted(tmp_path):
    metrics = DispatchCounts()
    cache = SqliteCache(tmp_path / "v.db", SystemClock(), metrics, max_pending=5)
    for key in keys(2_000):
        cache.put(key, REPLY)
    dropped = metrics.count("cache_request", "write_dropped")
    cache.close()
    assert dropped > 0
    rows = sqlite3.connect(tmp_path / "v.db").execute("SELECT count(*) FROM verdicts").fetchone()[0]
    assert rows == 2_000 - dropped


def test_an_entry_of_another_form_is_a_miss_and_counted(tmp_path):
    metrics = DispatchCounts()
    cache = SqliteCache(tmp_path / "v.db", SystemClock(), metrics)
    db = sqlite3.connect(tmp_path / "v.db")
    with db:
        db.execute("INSERT INTO verdicts (key, created, reply) VALUES (?, ?, ?)", (b"k" * 32, time.time(), b'{"a": 1}'))
    assert cache.get([b"k" * 32]) == [None]
    assert metrics.count("cache_request", "error") == 1
    cache.close()


def test_a_reply_that_is_no_valid_unicode_is_not_kept(tmp_path):
    metrics = DispatchCounts()
    cache = SqliteCache(tmp_path / "v.db", SystemClock(), metrics)
    cache.put(b"k" * 32, JudgeReply(FacetAnswers(ClaimSupport((ClaimVerdict("\ud800", Support.NOT_IN_CONTEXT),)))))
    cache.close()
    assert metrics.count("cache_request", "write_dropped") == 1


def test_without_a_path_it_is_in_memory():
    assert isinstance(open_cache(CacheSettings(), SystemClock(), DispatchCounts()), MemoryCache)


def test_settings_are_strict():
    with pytest.raises(ValueError, match="max_entires"):
        CacheSettings(max_entires=5)
