"""The straight line behind the receivers: assemble, read, sample, judge, and tell metrics, store and rules."""

import asyncio
import contextlib
import logging
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from functools import partial
from traceback import format_tb

from alerts.application import ApplicationSeries
from alerts.exposition import Metrics
from alerts.slice_series import SliceSeries
from alerts.store import VerdictStore
from alerts.suspicions import gravest
from collector.assembler import Assembler
from collector.backlog import Backlog
from collector.first_signs import FirstSigns
from collector.receipts import Source
from collector.route import Route
from collector.spans import ClosedTrace, SpanBatch
from collector.stages import Joiner, Observer, Reader, Relay, Resolver
from evaluators.assess import assess, facets_to_ask
from evaluators.dispatcher import Dispatcher, Judgement
from evaluators.errors import RetryableError
from evaluators.evaluation import Assessment, Scored, Skipped, SkipReason
from evaluators.facets import FacetAnswers
from evaluators.injection import suspicions_in
from evaluators.sample import RagSample, Readiness
from evaluators.sampler import Decision

log = logging.getLogger(__name__)

TURN = 50
"""Traces read before the event loop gets a turn: about 10 ms."""

_NOT_SAMPLED = {Decision.SAMPLED_OUT: SkipReason.SAMPLED_OUT, Decision.EXCLUDED: SkipReason.EXCLUDED}


class Pipeline:
    """Owns nothing that listens or sends: it connects the stages.

    `take` is the receivers' sink. `tick`, called a few times a second, closes what is due. `run` reads closed traces
    until cancelled. `deliver` is where the dispatcher hands judgements in.
    """

    def __init__(
        self,
        assembler: Assembler,
        reader: Reader,
        routes: Sequence[Route],
        metrics: Metrics,
        store: VerdictStore,
        observer: Observer,
        relay: Relay | None = None,
        resolver: Resolver | None = None,
        events: Joiner | None = None,
        signs: FirstSigns | None = None,
        application: ApplicationSeries | None = None,
        slices: SliceSeries | None = None,
    ) -> None:
        self._application = application
        self._slices = slices
        self._signs = signs
        self._events = events
        self._resolver = resolver
        self._relay = relay
        self._assembler = assembler
        self._reader = reader
        self._routes = {route.judge: route for route in routes}
        self._metrics = metrics
        self._store = store
        self._observer = observer
        self._custody = assembler.custody
        self._backlog = Backlog()
        self._filled = asyncio.Event()
        self._failures: set[str] = set()
        self._dispatcher: Dispatcher | None = None

    def connect(self, dispatcher: Dispatcher) -> None:
        """Say where samples go; the dispatcher in turn delivers to `deliver`."""
        self._dispatcher = dispatcher

    def take(self, batch: SpanBatch) -> None:
        """Take a whole batch, or raise RetryableError and take nothing."""
        if self._backlog.is_full or (batch.receipt is not None and self._backlog.is_patient_full):
            raise RetryableError("more traces than this monitor can read: try again", retry_after=1.0)
        self._enqueue(self._assembler.add(batch))
        if self._signs is not None:
            self._signs.spans(batch)

    def recall(self, batch: SpanBatch) -> None:
        """Remember spans of traces that others have judged: what still comes of them corrects or repeats."""
        self._assembler.recall(batch)

    @property
    def in_hand(self) -> int:
        """Closed traces with receipts that were read and wait for a verdict, or for its way to other processes."""
        return len(self._custody) - self._backlog.patient

    def tick(self) -> None:
        """Close the traces that are due, and see whether judges have room again."""
        self._enqueue(self._assembler.tick())
        self._filled.set()

    async def run(self) -> None:
        """Read closed traces as they come; runs until cancelled."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            await self._read_all()

    async def drain(self, deadline_s: float) -> int:
        """Close and read whatever is open, for at most `deadline_s` seconds: the monitor is about to stop. How many
        traces were left unread.
        """
        self._enqueue(self._assembler.close_all())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(deadline_s):
                await self._read_all()
        return len(self._backlog)

    def hand_back(self, sources: Container[Source]) -> int:
        """Let go of the traces of these sources that no judge has seen; how many. Somebody else will read them."""
        back = self._backlog.take_out(lambda trace: trace.returnable and self._custody.is_of(trace.trace_id, sources))
        for trace in back:
            self._custody.forfeit(trace.trace_id)
            self._assembler.forget(trace.trace_id)
        return len(back) + self._assembler.hand_back(sources)

    def deliver(self, judgement: Judgement) -> None:
        """Turn a judgement into metrics, a record and, where it matters, a signal; then its receipts may go."""
        route = self._routes[judgement.judge]
        try:
            self._tell(
                assess(
                    judgement.sample,
                    route.metrics,
                    judgement.result,
                    judge=route.judge,
                    identity=judgement.identity,
                    age_s=judgement.age_s,
                    cached=judgement.cached,
                )
            )
        finally:
            if self._custody:
                self._custody.release(bytes.fromhex(judgement.sample.trace_id))
                self._filled.set()

    def _enqueue(self, traces: list[ClosedTrace]) -> None:
        if not traces:
            return
        self._backlog.put(traces)
        self._filled.set()

    async def _read_all(self) -> None:
        more = True
        while more:
            more = self._read_some(TURN)
            await asyncio.sleep(0)

    def _read_some(self, count: int) -> bool:
        """Read up to `count` traces; False once there is none, or none that judges have room for."""
        for _ in range(count):
            trace = self._backlog.take(self._has_room)
            if trace is None:
                return False
            try:
                with self._apart(trace):
                    self._judge(trace)
            finally:
                if trace.held:
                    self._custody.release(trace.trace_id)
        return True

    @contextlib.contextmanager
    def _apart(self, trace: ClosedTrace) -> Iterator[None]:
        """A trace that nobody foresaw ends neither the monitor nor, read again and again, those that come after it."""
        try:
            yield
        except Exception as error:
            service, kind = trace.spans[0].resource.service, type(error).__name__
            self._metrics.trace(service, "failed")
            self._store.decision(trace.trace_id.hex(), service, "failed", kind)
            if kind not in self._failures:
                self._failures.add(kind)
                where = "".join(format_tb(error.__traceback__))
                told = "a trace of %r failed, more of the kind are only counted: %s\n%s"
                log.error(told, service, kind, where)  # noqa: TRY400  the error's message may quote the trace

    def _has_room(self, trace: ClosedTrace) -> bool:
        if self._custody.is_suspended(trace.trace_id):
            return False
        if self._relay is not None and not self._relay.has_room:
            return False
        if self._resolver is not None and not self._resolver.has_room:
            return False
        return self._dispatcher is None or all(self._dispatcher.has_room(judge) for judge in self._routes)

    def _judge(self, trace: ClosedTrace) -> None:
        trace_id = trace.trace_id.hex()
        if not any(route.sampler.can_sample(trace_id) for route in self._routes.values()):
            service = trace.spans[0].resource.service
            self._metrics.trace(service, "sampled_out")
            self._store.decision(trace_id, service, "sampled_out", "no sampling rule takes this trace id")
            return
        sample = self._reader.read(trace if self._events is None else self._events.join(trace))
        if trace.partial:
            self._hand_on(trace, replace(sample, incomplete=True))
            return
        if self._resolver is None or not self._resolver.wants(sample) or not self._is_sampled(sample):
            self._hand_on(trace, sample)
            return
        if trace.held:
            self._custody.hold(trace.trace_id)
        self._resolver.submit(sample, partial(self._resolved, trace))

    def _is_sampled(self, sample: RagSample) -> bool:
        return any(route.sampler.decide(sample) is Decision.SAMPLED for route in self._routes.values())

    def _resolved(self, trace: ClosedTrace, sample: RagSample) -> None:
        try:
            with self._apart(trace):
                self._hand_on(trace, sample)
        finally:
            if trace.held:
                self._custody.release(trace.trace_id)
            self._filled.set()

    def _hand_on(self, trace: ClosedTrace, sample: RagSample) -> None:
        self._metrics.trace(sample.service, "partial" if trace.partial else _outcome(sample))
        if self._signs is not None:
            self._signs.trace(sample)
        if self._application is not None:
            self._application.count(sample)
        if self._slices is not None:
            self._slices.trace(sample)
        if trace.closed_by == "evicted":
            self._metrics.trace(sample.service, "evicted")
        if sample.readiness is Readiness.NO_RETRIEVAL:
            self._store.decision(sample.trace_id, sample.service, sample.readiness, sample.reason)
            return
        sample = self._inspected(sample)
        for route in self._routes.values():
            if trace.partial:
                self._skip(sample, route, Skipped(SkipReason.PARTIAL), "spans of it may be where nobody joins them")
            else:
                self._send(sample, route, trace.closed_at)

    def _inspected(self, sample: RagSample) -> RagSample:
        """With what is suspected of its texts: known when they are read, whatever becomes of the judges, and once."""
        if sample.excluded:
            return sample
        suspicions = suspicions_in(sample)
        found = gravest(suspicions)
        self._metrics.inspected(sample.service, found.place if found and not self._was_suspected(sample) else None)
        return replace(sample, suspicions=suspicions) if suspicions else sample

    def _was_suspected(self, sample: RagSample) -> bool:
        record = self._store.get(sample.trace_id) if sample.revision else None
        return record is not None and any(one.sample.suspicions for one in record.assessments.values())

    def _send(self, sample: RagSample, route: Route, closed_at: float) -> None:
        decision = route.sampler.decide(sample)
        if decision is not Decision.SAMPLED:
            reason = _NOT_SAMPLED.get(decision, SkipReason.SAMPLED_OUT)
            self._skip(sample, route, Skipped(reason), f"{route.judge}: {decision}")
            return
        facets = facets_to_ask(sample, route.metrics)
        if not facets:
            self._skip(sample, route, FacetAnswers(), sample.reason)
            return
        if self._dispatcher is None:
            raise RuntimeError("the pipeline is not connected to a dispatcher")
        self._store.decision(sample.trace_id, sample.service, "queued", f"for {route.judge}")
        if self._custody:
            self._custody.hold(bytes.fromhex(sample.trace_id))
        self._dispatcher.submit(sample, route.judge, facets, closed_at)

    def _skip(self, sample: RagSample, route: Route, result: Skipped | FacetAnswers, reason: str) -> None:
        assessment = assess(sample, route.metrics, result, judge=route.judge, identity=route.identity)
        self._store.decision(sample.trace_id, sample.service, "skipped", reason)
        self._tell(assessment)

    def _tell(self, assessment: Assessment) -> None:
        news = self._not_counted_yet(assessment)
        self._metrics.assessment(news)
        if self._slices is not None:
            self._slices.assessment(news)
        self._store.record(assessment)
        self._observer.observe(assessment)
        if self._relay is not None:
            trace_id = bytes.fromhex(assessment.sample.trace_id)
            self._custody.hold(trace_id)
            self._relay.put(assessment, partial(self._custody.release, trace_id))

    def _not_counted_yet(self, assessment: Assessment) -> Assessment:
        """A counter cannot take a score back: of a reopened trace only what had no score before is counted.

        Pages and rules do let the later verdict replace the earlier one.
        """
        if not assessment.sample.revision:
            return assessment
        record = self._store.get(assessment.sample.trace_id)
        earlier = record.assessments.get(assessment.judge) if record else None
        if earlier is None:
            return assessment
        new = (one for one in assessment.evaluations if not isinstance(earlier.outcome(one.metric), Scored))
        return replace(assessment, evaluations=tuple(new))


def _outcome(sample: RagSample) -> str:
    """The label of a closed trace; one that was reopened by a late span counts apart, not a second time."""
    if sample.revision:
        return "superseded"
    return "excluded" if sample.excluded else sample.readiness
