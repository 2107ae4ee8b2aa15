from dataclasses import replace

from alerts.store import VerdictStore
from evaluators.sample import Chunk
from tests.fakes import FakeClock
from tests.verdicts import assessment, contradicted, good, trace_id


def test_a_verdict_is_found_with_the_decisions_that_led_to_it() -> None:
    store = VerdictStore(FakeClock())
    store.decision(trace_id(1), "shop-assistant", "queued", "for lexical")
    store.record(good(1))
    record = store.get(trace_id(1))
    assert record is not None
    assert [(one.decision, one.reason) for one in record.decisions] == [("queued", "for lexical")]
    assert list(record.assessments) == ["lexical"]


def test_a_later_verdict_of_the_same_judge_takes_the_place_of_the_earlier() -> None:
    store = VerdictStore(FakeClock())
    later = good(1, revision=1)
    for verdict in (contradicted(1), good(1, judge="strict"), later):
        store.record(verdict)
    record = store.get(trace_id(1))
    assert record is not None
    assert record.assessments["lexical"] is later
    assert set(record.assessments) == {"lexical", "strict"}


def test_recent_traces_come_latest_first_and_by_service() -> None:
    clock = FakeClock()
    store = VerdictStore(clock)
    for number, service in enumerate(("shop", "bot", "shop")):
        store.record(good(number, service=service))
        clock.advance(1.0)
    store.decision(trace_id(9), "bot", "no_text", "ids only")
    assert [record.trace_id for record in store.recent(10)] == [trace_id(n) for n in (9, 2, 1, 0)]
    assert [record.trace_id for record in store.recent(10, "bot")] == [trace_id(9), trace_id(1)]
    assert len(store.recent(2)) == 2


def test_traces_that_were_not_judged_push_out_no_verdict() -> None:
    store = VerdictStore(FakeClock(), max_traces=100)
    store.record(good(1))
    for number in range(100, 1000):
        store.decision(trace_id(number), "fleet", "no_retrieval", "")
    assert store.get(trace_id(1)) is not None
    assert len(store.recent(10_000)) <= 101


def test_memory_is_bounded_in_bytes_whatever_a_trace_holds() -> None:
    store = VerdictStore(FakeClock(), max_bytes=1 << 20)
    for number in range(50):
        big = assessment(number)
        store.record(replace(big, sample=replace(big.sample, chunks=(Chunk("x" * 100_000),))))
    assert 1 <= len(store.recent(100)) <= 10
    assert store.evicted >= 40


def test_a_trace_larger_than_the_store_is_not_kept() -> None:
    store = VerdictStore(FakeClock(), max_bytes=1 << 20)
    huge = assessment(1)
    store.record(replace(huge, sample=replace(huge.sample, answer="x" * (2 << 20))))
    assert store.get(trace_id(1)) is None


def test_decisions_of_one_trace_are_bounded() -> None:
    store = VerdictStore(FakeClock())
    for number in range(100):
        store.decision(trace_id(1), "shop", "late", "x" * 5000 + str(number))
    record = store.get(trace_id(1))
    assert record is not None
    assert len(record.decisions) == 16
    assert all(len(one.reason) <= 500 for one in record.decisions)
