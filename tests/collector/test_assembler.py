"""A trace is whole whatever way its spans arrive, and nothing grows without a bound."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.assembler import Assembler, AssemblySettings
from collector.spans import ClosedTrace, Resource, SpanBatch, WireSpan
from tests.fakes import CountingMetrics, FakeClock

SHOP = Resource("shop", {})


def span(
    trace: int, number: int, *, parent: int = 1, ended: bool = True, raw: bytes = b"", who: Resource = SHOP
) -> WireSpan:
    return WireSpan(
        trace.to_bytes(16, "big"),
        number.to_bytes(8, "big"),
        parent.to_bytes(8, "big") if parent else b"",
        ended,
        raw or f"{trace}/{number}".encode(),
        who,
    )


def root(trace: int, number: int = 1, **rest: bool) -> WireSpan:
    return span(trace, number, parent=0, **rest)


class Bench:
    """An assembler with its clock and counters."""

    def __init__(self, **settings: float) -> None:
        self.clock = FakeClock()
        self.metrics = CountingMetrics()
        self.assembler = Assembler(AssemblySettings(**settings), self.clock, self.metrics)  # type: ignore[arg-type]

    def add(self, *spans: WireSpan) -> list[ClosedTrace]:
        return self.assembler.add(SpanBatch(received=len(spans), spans=list(spans)))

    def after(self, seconds: float) -> list[ClosedTrace]:
        self.clock.advance(seconds)
        return self.assembler.tick()

    def dropped(self, reason: str) -> int:
        return self.metrics.count("spans_dropped", reason)


def raws(trace: ClosedTrace) -> list[bytes]:
    return [kept.raw for kept in trace.spans]


def test_a_trace_closes_a_grace_after_its_root_ended() -> None:
    bench = Bench()
    bench.add(span(7, 2), root(7))
    assert bench.after(1.9) == []
    (closed,) = bench.after(0.6)
    assert closed.closed_by == "root"
    assert raws(closed) == [b"7/2", b"7/1"]
    assert bench.assembler.open_traces == 0
    assert bench.assembler.open_bytes == 0


def test_every_span_restarts_the_grace() -> None:
    bench = Bench()
    bench.add(root(7))
    for number in range(2, 6):
        assert bench.after(1.5) == []
        bench.add(span(7, number))
    (closed,) = bench.after(2.5)
    assert len(closed.spans) == 5


def test_without_a_root_the_idle_time_decides() -> None:
    bench = Bench()
    bench.add(span(7, 2))
    assert bench.after(29) == []
    (closed,) = bench.after(2)
    assert closed.closed_by == "idle"


def test_a_root_that_is_still_running_does_not_close_its_trace() -> None:
    bench = Bench()
    bench.add(root(7, ended=False))
    assert bench.after(5) == []
    bench.add(replace_raw(root(7), b"finished"))
    (closed,) = bench.after(3)
    assert raws(closed) == [b"finished"]


def replace_raw(one: WireSpan, raw: bytes) -> WireSpan:
    return one._replace(raw=raw)


def test_an_ordinary_root_closes_the_trace_and_is_not_kept() -> None:
    bench = Bench()
    bench.add(span(7, 2))
    bench.assembler.add(SpanBatch(received=1, ordinary_roots=[(7).to_bytes(16, "big"), (8).to_bytes(16, "big")]))
    (closed,) = bench.after(2.5)
    assert raws(closed) == [b"7/2"]
    assert bench.assembler.open_traces == 0


def test_a_trace_that_never_rests_closes_at_its_maximum_age() -> None:
    bench = Bench(max_age_s=100)
    closed: list[ClosedTrace] = []
    for number in range(2, 30):
        bench.add(span(7, number))
        closed = bench.after(10)
        if closed:
            break
    assert [trace.closed_by for trace in closed] == ["max_age"]
    assert bench.clock.now == pytest.approx(100, abs=11)


def test_a_repeated_span_is_counted_and_kept_once() -> None:
    bench = Bench()
    bench.add(span(7, 2), span(7, 2), root(7))
    (closed,) = bench.after(3)
    assert raws(closed) == [b"7/2", b"7/1"]
    assert bench.dropped("duplicate") == 1


def test_a_repeat_after_the_close_does_not_open_the_trace_again() -> None:
    bench = Bench()
    bench.add(span(7, 2), root(7))
    bench.after(3)
    bench.add(span(7, 2), root(7))
    assert bench.after(60) == []
    assert bench.dropped("duplicate") == 2


def test_a_late_span_supersedes_the_verdict_once_and_with_everything() -> None:
    bench = Bench()
    bench.add(span(7, 2))
    bench.after(31)
    bench.add(root(7))
    (closed,) = bench.after(3)
    assert closed.revision == 1
    assert raws(closed) == [b"7/2", b"7/1"]
    bench.add(span(7, 3))
    assert bench.after(60) == []
    assert bench.dropped("late") == 2


def test_a_late_span_of_a_forgotten_trace_only_counts() -> None:
    bench = Bench(reopenable_bytes=0)
    bench.add(root(7))
    bench.after(3)
    bench.add(span(7, 2))
    assert bench.after(60) == []
    assert bench.dropped("late") == 1


def test_spans_over_the_cap_of_a_trace_are_dropped_counted_and_told() -> None:
    bench = Bench(max_spans_per_trace=10)
    bench.add(*(span(7, number) for number in range(2, 102)), root(7))
    (closed,) = bench.after(3)
    assert len(closed.spans) == 10
    assert closed.dropped == 91
    assert bench.dropped("trace_cap") == 91


def test_above_the_bound_the_oldest_trace_is_closed_early_and_memory_stays_flat() -> None:
    bench = Bench(max_traces=100, remembered_traces=100, reopenable_bytes=10_000)
    evicted = [closed for trace in range(1, 20_001) for closed in bench.add(span(trace, 2))]
    assert len(evicted) == 19_900
    assert [int.from_bytes(trace.trace_id, "big") for trace in evicted] == list(range(1, 19_901))
    assert {trace.closed_by for trace in evicted} == {"evicted"}
    assert bench.assembler.open_traces == 100
    assert len(bench.assembler._wheel) < 10_000
    assert len(bench.assembler._remembered) <= 100


def test_the_bound_in_bytes_counts_what_spans_really_hold() -> None:
    bench = Bench(max_bytes=1 << 20)
    evicted = [closed for trace in range(1, 101) for closed in bench.add(span(trace, 2, raw=b"x" * 50_000))]
    assert 75 < len(evicted) < 85
    assert bench.assembler.open_bytes <= 1 << 20


def test_each_span_keeps_its_own_resource() -> None:
    bench = Bench()
    search = replace(SHOP, service="search")
    bench.add(span(7, 2, who=search), root(7))
    (closed,) = bench.after(3)
    assert [kept.resource.service for kept in closed.spans] == ["search", "shop"]


def test_draining_closes_whatever_is_open() -> None:
    bench = Bench()
    bench.add(span(7, 2), span(8, 2))
    assert [trace.closed_by for trace in bench.assembler.close_all()] == ["drain", "drain"]
    assert bench.assembler.open_traces == 0


SPANS = [span(trace, number) if number > 1 else root(trace) for trace in (1, 2, 3) for number in (3, 2, 1)]


@given(st.permutations(SPANS), st.lists(st.integers(0, 8), max_size=4), st.lists(st.sampled_from(SPANS), max_size=5))
def test_order_splits_and_repeats_do_not_change_what_a_trace_holds(
    spans: list[WireSpan], cuts: list[int], repeats: list[WireSpan]
) -> None:
    bench = Bench()
    edges = [0, *sorted(cuts), len(spans)]
    for start, end in itertools.pairwise(edges):
        bench.add(*spans[start:end])
    bench.add(*repeats)
    closed = bench.after(3)
    assert {trace.trace_id: set(raws(trace)) for trace in closed} == {
        t.to_bytes(16, "big"): {f"{t}/{n}".encode() for n in (1, 2, 3)} for t in (1, 2, 3)
    }
    assert len(closed) == 3


def recall(bench: Bench, *spans: WireSpan) -> None:
    bench.assembler.recall(SpanBatch(received=len(spans), spans=list(spans)))


def test_what_is_recalled_opens_nothing_and_repeats_of_it_are_known() -> None:
    bench = Bench()
    recall(bench, span(7, 2), root(7))
    assert bench.assembler.open_traces == bench.assembler.open_bytes == 0
    bench.add(span(7, 2), root(7))
    assert bench.after(60) == []
    assert bench.dropped("duplicate") == 2


def test_a_late_span_of_a_recalled_trace_corrects_it_as_a_whole_once() -> None:
    bench = Bench()
    recall(bench, span(7, 2))
    recall(bench, root(7))
    bench.add(span(7, 3))
    (corrected,) = bench.after(3)
    assert raws(corrected) == [b"7/2", b"7/1", b"7/3"]
    assert (corrected.revision, corrected.closed_by) == (1, "root")
    bench.add(span(7, 4))
    assert bench.after(60) == []
    assert bench.dropped("late") == 2


def test_recalling_keeps_to_the_bounds_and_a_trace_that_is_not_kept_whole_takes_no_late_span() -> None:
    bench = Bench(remembered_traces=10, reopenable_bytes=5_000)
    for number in range(1, 100):
        recall(bench, span(number, 2), root(number))
    assert len(bench.assembler._remembered) == 10
    assert bench.assembler._reopenable_bytes <= 5_000
    bench.add(span(91, 3))
    assert bench.assembler.open_traces == 0


def test_an_open_trace_is_not_changed_by_what_is_recalled() -> None:
    bench = Bench()
    bench.add(span(7, 2))
    recall(bench, span(7, 3), root(7))
    (closed,) = bench.after(31)
    assert raws(closed) == [b"7/2"]
