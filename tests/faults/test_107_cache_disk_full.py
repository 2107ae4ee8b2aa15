import time

from evaluators.cache_sqlite import SqliteCache
from evaluators.clock import SystemClock
from evaluators.facets import ClaimSupport, ClaimVerdict, FacetAnswers, Support
from evaluators.judges.base import JudgeReply
from tests.fakes import DispatchCounts

ROOM = 64 * 1024


def reply(size):
    return JudgeReply(FacetAnswers(ClaimSupport((ClaimVerdict("x" * size, Support.NOT_IN_CONTEXT),))))


def eventually(condition):
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_with_no_room_it_goes_on_says_so_and_recovers_when_there_is_room_again(tmp_path):
    metrics = DispatchCounts()
    cache = SqliteCache(tmp_path / "v.db", SystemClock(), metrics, max_bytes=ROOM, gather_s=0.01)
    cache.put(b"large", reply(ROOM - 8_000))
    eventually(lambda: cache.degraded is not None)
    assert "full" in cache.degraded
    assert metrics.count("cache_request", "write_dropped") == 1
    assert cache.get([b"large"]) == [None]

    cache.put(b"small", reply(100))
    eventually(lambda: cache.degraded is None)
    assert cache.get([b"small"]) == [reply(100)]
    cache.close()


def test_the_oldest_half_makes_room_before_anything_new_is_refused(tmp_path):
    cache = SqliteCache(tmp_path / "v.db", SystemClock(), DispatchCounts(), max_bytes=ROOM, gather_s=0.01)
    for number in range(40):
        cache.put(b"%d" % number, reply(4_000))
        eventually(lambda: not cache._pending and not cache._writing)
        assert cache.degraded is None
    assert cache.get([b"39"]) == [reply(4_000)]
    assert cache.get([b"0"]) == [None]
    cache.close()
    assert (tmp_path / "v.db").stat().st_size <= ROOM
