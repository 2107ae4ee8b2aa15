"""Whatever becomes of a trace, the receipts of its units are held until then and not longer."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alerts.exposition import Metrics
from alerts.store import VerdictStore
from collector import backlog
from collector.assembler import Assembler, AssemblySettings
from collector.conventions.reader import TraceReader
from collector.pipeline import Pipeline
from collector.receipts import Receipt, Source
from collector.route import Route
from collector.spans import Resource, SpanBatch, WireSpan
from evaluators.errors import RetryableError
from evaluators.evaluation import Assessment, Failed, FailReason, Skipped, SkipReason
from evaluators.facets import FacetAnswers
from evaluators.judgement import Judgement
from evaluators.metrics import ONLINE_METRICS
from evaluators.sampler import Sampler, SamplingRule
from tests.collector.handmade import Made
from tests.fakes import CountingMetrics, DispatchLog, FakeClock

SHOP = Resource("shop", {})
RETRIEVAL = {
    "openinference.span.kind": "RETRIEVER",
    "input.value": "Within how many days?",
    "retrieval.documents.0.document.content": "Within 30 days.",
}
ROOT = {"openinference.span.kind": "CHAIN", "input.value": "Within how many days?", "output.value": "Within 90 days."}


def trace_id(number: int) -> bytes:
    return number.to_bytes(16, "big")


def retrieval(trace: int = 7, number: int = 2) -> WireSpan:
    made = Made(number, RETRIEVAL, parent=1)
    return WireSpan(trace_id(trace), number.to_bytes(8, "big"), b"\1" * 8, True, made.raw(), SHOP)


def root(trace: int = 7) -> WireSpan:
    return WireSpan(trace_id(trace), (1).to_bytes(8, "big"), b"", True, Made(1, ROOT).raw(), SHOP)


class Line:
    """A pipeline behind a partition; the judge speaks when the test says so."""

    def __init__(self, rate: float = 1.0, **settings: float) -> None:
        self.clock = FakeClock()
        self.metrics = Metrics(self.clock)
        self.source = Source(0)
        self.judged: list[Assessment] = []
        self.dispatched = DispatchLog()
        self.assembler = Assembler(AssemblySettings(**settings), self.clock, CountingMetrics())  # type: ignore[arg-type]
        route = Route("lexical", "lexical@1", tuple(ONLINE_METRICS.values()), Sampler([SamplingRule(rate=rate)]))
        store = VerdictStore(self.clock)
        self.pipeline = Pipeline(self.assembler, TraceReader(), [route], self.metrics, store, self)
        self.pipeline.connect(self.dispatched)  # type: ignore[arg-type]

    def observe(self, assessment: Assessment) -> None:
        self.judged.append(assessment)

    def take(self, *spans: WireSpan, source: Source | None = None, roots: Sequence[bytes] = ()) -> None:
        """One unit of the partition."""
        source = source or self.source
        receipt = Receipt(source, source.position, self.clock.now)
        self.pipeline.take(SpanBatch(len(spans), list(spans), list(roots), receipt=receipt))
        source.position += 1

    def push(self, *spans: WireSpan) -> None:
        """One request of a receiver without receipts."""
        self.pipeline.take(SpanBatch(len(spans), list(spans)))

    def after(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.pipeline.tick()
        while self.pipeline._read_some(10):
            pass

    def judge(self, result: FacetAnswers | Skipped | Failed | None = None) -> None:
        """The judge ends all that it was given."""
        submitted, self.dispatched.submitted = self.dispatched.submitted, []
        for sample, judge, facets in submitted:
            self.pipeline.deliver(Judgement(sample, judge, "lexical@1", facets, result or FacetAnswers()))

    @property
    def watermark(self) -> int:
        return self.source.low_watermark


def test_the_watermark_waits_for_the_oldest_trace_and_passes_once_it_is_judged() -> None:
    line = Line()
    line.take(retrieval(7))
    line.take(retrieval(8), root(8))
    assert line.watermark == 0
    line.after(3)
    line.judge()
    assert line.watermark == 0
    line.take(root(7))
    line.after(3)
    assert line.watermark == 0
    line.judge()
    assert line.watermark == line.source.position == 3
    assert line.source.held == 0


@pytest.mark.parametrize("result", [Failed(FailReason.TIMEOUT), Skipped(SkipReason.SHED), Skipped(SkipReason.BUDGET)])
def test_a_judgement_without_verdict_releases_too(result: Failed | Skipped) -> None:
    line = Line()
    line.take(retrieval(), root())
    line.after(3)
    line.judge(result)
    assert line.watermark == 1


def test_a_verdict_that_nobody_can_record_does_not_hold_the_source_for_ever() -> None:
    line = Line()
    line.take(retrieval(), root())
    line.after(3)
    line.observe = lambda assessment: 1 / 0  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(ZeroDivisionError):
        line.judge()
    assert line.watermark == 1


def test_ordinary_spans_and_empty_units_are_done_at_once() -> None:
    line = Line()
    line.take()
    line.take(roots=[trace_id(9)])
    assert line.watermark == 2


def test_a_trace_without_retrieval_and_one_sampled_out_release_when_they_close() -> None:
    line = Line(rate=0.0)
    line.take(retrieval(), root())
    line.after(3)
    assert line.watermark == 1
    line = Line()
    line.take(root())
    line.after(3)
    assert line.watermark == 1


def test_a_trace_that_is_evicted_holds_until_it_is_judged() -> None:
    line = Line(max_traces=1)
    line.take(retrieval(7))
    line.take(retrieval(8))
    line.after(0)
    assert line.source.held == 1
    line.after(31)
    line.judge()
    assert line.watermark == 2


def test_spans_over_the_cap_and_repeats_hold_no_longer_than_their_trace() -> None:
    line = Line(max_spans_per_trace=1)
    line.take(retrieval(7, 2))
    line.take(retrieval(7, 3))
    line.take(retrieval(7, 2))
    line.after(31)
    line.judge()
    assert line.watermark == 3


def test_a_repeat_of_an_unjudged_trace_is_not_done_before_the_verdict() -> None:
    line = Line()
    line.take(retrieval(), root())
    line.after(3)
    again = Source(0)
    line.take(retrieval(), root(), source=again)
    assert (again.low_watermark, again.position) == (0, 1)
    line.judge()
    assert again.low_watermark == line.watermark == 1


def test_a_repeat_and_a_late_span_of_a_judged_trace_are_done_with_it() -> None:
    line = Line()
    line.take(retrieval(), root())
    line.after(3)
    line.judge()
    line.take(retrieval(), root())
    assert line.watermark == 2
    line.take(retrieval(7, 3))
    assert line.watermark == 2
    line.after(3)
    line.judge()
    assert line.watermark == 3


def test_a_trace_holds_one_receipt_of_each_source_however_many_units_brought_it() -> None:
    line = Line()
    other = Source(0)
    for number in range(2, 102):
        line.take(retrieval(7, number), source=line.source if number % 2 else other)
    assert (line.source.held, other.held) == (1, 1)


def test_traces_handed_back_are_neither_judged_nor_remembered() -> None:
    line = Line()
    line.take(retrieval(), root())
    line.take(retrieval(8))
    assert line.pipeline.hand_back([line.source]) == 2
    assert line.assembler.open_traces == line.assembler.open_bytes == 0
    assert line.watermark == 0
    line.after(60)
    assert line.dispatched.submitted == []
    line.take(retrieval(), root(), source=Source(0))
    line.after(3)
    assert len(line.dispatched.submitted) == 1


def test_closed_traces_that_no_judge_has_seen_are_handed_back_too() -> None:
    line = Line()
    line.dispatched.room = False
    line.take(retrieval(), root())
    line.after(3)
    assert line.pipeline.hand_back([line.source]) == 1
    assert line.watermark == 0
    line.dispatched.room = True
    line.after(60)
    assert line.dispatched.submitted == []
    line.take(retrieval(), root(), source=Source(0))
    line.after(3)
    assert len(line.dispatched.submitted) == 1


def test_a_trace_with_spans_from_elsewhere_stays_and_is_judged_whole() -> None:
    for elsewhere in (Source(0), None):
        line = Line()
        if elsewhere:
            line.take(root(), source=elsewhere)
        else:
            line.push(root())
        line.take(retrieval())
        assert line.pipeline.hand_back([line.source]) == 0
        line.after(3)
        ((sample, _, _),) = line.dispatched.submitted
        assert sample.chunks
        assert sample.answer


def test_a_suspended_source_keeps_its_traces_open() -> None:
    line = Line()
    line.take(retrieval(), root())
    line.source.suspended = True
    line.after(3)
    assert line.assembler.open_traces == 1
    line.source.suspended = False
    line.after(3)
    assert line.assembler.open_traces == 0


def test_a_source_waits_where_judges_are_slow_and_pushed_spans_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "MAX_PATIENT", 0)
    line = Line()
    line.dispatched.room = False
    line.take(retrieval(7), root(7))
    line.after(3)
    with pytest.raises(RetryableError):
        line.take(retrieval(8), root(8))
    line.push(retrieval(9), root(9))
    line.after(3)
    assert [sample.trace_id for sample, _, _ in line.dispatched.submitted] == [trace_id(9).hex()]
    line.dispatched.room = True
    line.after(0)
    line.take(retrieval(8), root(8))


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("take"), st.integers(1, 4), st.integers(1, 3)),
        st.tuples(st.sampled_from(["wait", "long", "judge"]), st.just(0), st.just(0)),
    ),
    max_size=40,
)


@given(STEPS)
def test_once_all_is_judged_nothing_is_held_and_before_that_no_unjudged_unit_is_passed(
    steps: list[tuple[str, int, int]],
) -> None:
    line = Line(max_traces=2)
    pending: dict[str, int] = {}
    for step, trace, number in steps:
        if step == "take":
            if trace_id(trace).hex() not in {one.sample.trace_id for one in line.judged}:
                pending.setdefault(trace_id(trace).hex(), line.source.position)
            line.take(root(trace) if number == 1 else retrieval(trace, number))
        elif step == "judge":
            for sample, _, _ in line.dispatched.submitted:
                pending.pop(sample.trace_id, None)
            line.judge()
        else:
            line.after(3 if step == "wait" else 60)
        for one in line.judged:
            pending.pop(one.sample.trace_id, None)
        for other in [key for key in pending if bytes.fromhex(key) not in line.assembler._open]:
            if not any(sample.trace_id == other for sample, _, _ in line.dispatched.submitted):
                pending.pop(other)
        assert line.watermark <= min(pending.values(), default=line.watermark)
    line.after(700)
    line.judge()
    line.after(700)
    line.judge()
    assert line.watermark == line.source.position
    assert line.source.held == len(line.assembler.custody) == 0
