"""20 000 traces through workers that are killed, and join and leave, all the while: what was judged, paid and told."""

import asyncio
import contextlib
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from aiokafka import AIOKafkaConsumer

from collector.demo.inbox import Inbox
from evaluators.assessment_codec import load_assessment
from evaluators.evaluation import Scored
from tests.bench.kafka_fleet import Call, Worker, asked, half_of, judge_settings, llm_stub, trace_id
from tests.kafka.broker import Broker
from tests.kafka.topics import Topics, topics_on
from tests.servers import redis_server

WORKERS = 3
PARTITIONS = 12
SERVICES = 20
WRONG_SERVICES = 3
KILL_EVERY_S = 6.0
VISIT_EVERY_S = 5.0
"""A further worker joins or leaves in good order."""

JUDGE_S = 0.2
BEHIND = 300
"""A trace's second half comes this many traces after its first."""

CONCURRENCY = 64
"""Calls that a worker may have in flight: the default of a lane."""

ON_THE_WAY_S = 1.0
"""A call is in flight until a starved worker has read its answer and Redis has it, which is later than the answer."""

PATIENCE_S = 240.0


class Kill(NamedTuple):
    """When (epoch seconds) which worker was killed."""

    worker: str
    at: float


class Tally:
    """What is read back from the evaluations topic."""

    def __init__(self, traces: int) -> None:
        self._traces = traces
        self.whole = asyncio.Event()
        self.verdicts: Counter[str] = Counter()
        self.unscored = 0

    async def read(self, address: str, topic: str) -> None:
        """Read until cancelled."""
        consumer = AIOKafkaConsumer(topic, bootstrap_servers=address, auto_offset_reset="earliest")
        await consumer.start()
        try:
            async for message in consumer:
                if not message.headers:
                    one = load_assessment(message.value)
                    self.verdicts[one.sample.trace_id] += 1
                    self.unscored += not isinstance(one.outcome("faithfulness"), Scored)
                    if len(self.verdicts) == self._traces:
                        self.whole.set()
        finally:
            await consumer.stop()


class Outcome(NamedTuple):
    """What a run came to. `told`: notifications of each raising of an alert."""

    traces: int
    tally: Tally
    calls: list[Call]
    killed: list[Kill]
    visits: int
    told: Counter[tuple[str, str, str]]
    took_s: float


async def kills(broker: Broker, folder: Path, traces: int, per_s: float) -> list[tuple[str, str]]:
    """Run it; the rows of the table."""
    inbox = Inbox()
    url = await inbox.start()
    async with topics_on(broker.address) as topics, redis_server(folder) as redis:
        spans, evaluations = await topics.create("spans", PARTITIONS), await topics.create("evaluations", 1)
        with llm_stub(JUDGE_S) as llm:
            settings = _settings(broker.address, spans, evaluations, redis)
            workers = [
                Worker(folder, f"worker-{n}", "evaluate", settings | judge_settings(f"{llm}/w{n}/v1"))
                for n in range(WORKERS)
            ]
            notify = {"notifiers": [{"type": "webhook", "url": url}], "outbox_path": str(folder / "outbox.db")}
            alerting = Worker(folder, "alerting", "alert", settings | {"alerts": notify})
            visitor = Worker(folder, "visitor", "evaluate", settings | judge_settings(f"{llm}/visitor/v1"))
            for one in (*workers, alerting):
                one.start()
            for one in (*workers, alerting):
                await asyncio.to_thread(one.wait_ready)
            tally = Tally(traces)
            reading = asyncio.create_task(tally.read(broker.address, evaluations))
            try:
                began = time.monotonic()
                sending = asyncio.create_task(_send(topics, spans, traces, per_s))
                visiting = asyncio.create_task(_visit_while(sending, visitor))
                killed = await _kill_while(sending, workers, broker)
                visits = await visiting
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(tally.whole.wait(), PATIENCE_S)
                took = time.monotonic() - began
                await asyncio.sleep(3.0)
                calls = await asyncio.to_thread(asked, llm)
            finally:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
                for one in (*workers, visitor, alerting):
                    await asyncio.to_thread(one.stop)
    told = _told(inbox)
    await inbox.stop()
    return _rows(Outcome(traces, tally, calls, killed, visits, told, took))


def _rows(outcome: Outcome) -> list[tuple[str, str]]:
    tally, calls, told = outcome.tally, outcome.calls, outcome.told
    ids = [trace_id(number).hex() for number in range(outcome.traces)]
    judged = sum(one in tally.verdicts for one in ids)
    again = _paid_again(calls)
    unanswered, followed = (_after_kills(again, outcome.killed, late) for late in (0.0, ON_THE_WAY_S))
    return [
        ("traces sent, of 5 spans in 2 messages", f"{outcome.traces}"),
        ("kill -9 of a worker, each a rebalance at its end and its return", f"{len(outcome.killed)}"),
        ("workers that joined or left in good order, each a rebalance", f"{outcome.visits}"),
        ("broker restarts", "1"),
        ("traces judged", f"{judged}"),
        ("traces lost", f"{len(ids) - judged}"),
        ("verdicts without a score", f"{tally.unscored}"),
        ("verdicts written again (same evaluation ids)", f"{tally.verdicts.total() - len(tally.verdicts)}"),
        ("LLM calls", f"{len(calls)}"),
        ("LLM calls paid again", f"{len(again)}"),
        ("of them not answered yet when their worker was killed", f"{unanswered.total()}"),
        (f"of them answered within {ON_THE_WAY_S:g} s before", f"{followed.total() - unanswered.total()}"),
        ("of them without a kill that explains them", f"{len(again) - followed.total()}"),
        (f"most after one kill, of {CONCURRENCY} that may be in flight", f"{max(followed.values(), default=0)}"),
        ("alerts raised", f"{len(told)} of {WRONG_SERVICES}"),
        ("most notifications of one alert's raising", f"{max(told.values(), default=0)}"),
        ("seconds", f"{outcome.took_s:.0f}"),
    ]


def _settings(address: str, spans: str, evaluations: str, redis: int) -> dict[str, object]:
    kafka = {"bootstrap_servers": [address], "request_timeout_s": 5.0}
    receiver = {"topics": [spans], "session_timeout_s": 3.0, "commit_interval_s": 0.5, "dead_letter_topic": None}
    return {
        "receivers": {"kafka": kafka | receiver},
        "streams": kafka | {"spans_topic": spans, "evaluations_topic": evaluations},
        "cache": {"redis": {"url": f"redis://127.0.0.1:{redis}/0", "lease_s": 5.0}},
        "assembly": {"grace_s": 1.0, "idle_s": 60.0},
    }


async def _send(topics: Topics, topic: str, traces: int, per_s: float) -> None:
    began = time.monotonic()
    for number in range(traces + BEHIND):
        for second, one in ((False, number), (True, number - BEHIND)):
            if not 0 <= one < traces:
                continue
            service = one % SERVICES
            body = half_of(one, f"service-{service}", second=second, wrong=service < WRONG_SERVICES and one % 7 == 0)
            await topics.producer.send(topic, body, key=trace_id(one).hex().encode())
        if number % 50 == 0:
            await asyncio.sleep(max(0.0, began + number / per_s - time.monotonic()))
    await topics.producer.flush()


async def _kill_while(sending: "asyncio.Task[None]", workers: list[Worker], broker: Broker) -> list[Kill]:
    """Kill and restart workers until all is sent; the broker once."""
    rng, killed = random.Random(1), []
    while not sending.done():
        await asyncio.wait({sending}, timeout=KILL_EVERY_S)
        if len(killed) == 2:
            await asyncio.to_thread(broker.stop)
            await asyncio.to_thread(broker.start)
        number = rng.randrange(len(workers))
        workers[number].stop(signal.SIGKILL)
        killed.append(Kill(f"w{number}", time.time()))
        await asyncio.sleep(rng.uniform(0.0, 2.0))
        workers[number].start()
    await sending
    return killed


async def _visit_while(sending: "asyncio.Task[None]", visitor: Worker) -> int:
    """Let a worker join and leave in good order until all is sent; how often it did."""
    visits = 0
    while not sending.done():
        await asyncio.to_thread(visitor.stop if visits % 2 else visitor.start)
        visits += 1
        await asyncio.wait({sending}, timeout=VISIT_EVERY_S)
    return visits


def _paid_again(calls: list[Call]) -> list[Call]:
    """The call before each one that asks what was asked before."""
    last: dict[int, Call] = {}
    again = []
    for call in sorted(calls, key=lambda call: call.at):
        if call.number in last:
            again.append(last[call.number])
        last[call.number] = call
    return again


def _after_kills(calls: list[Call], killed: list[Kill], on_the_way_s: float) -> Counter[Kill]:
    """How many of the calls were in flight at each kill of their worker."""
    return Counter(
        kill
        for call in calls
        for kill in killed
        if kill.worker == call.worker and call.at <= kill.at < call.answered + on_the_way_s
    )


def _told(inbox: Inbox) -> Counter[tuple[str, str, str]]:
    """Notifications of each raising of an alert that cites contradictions."""
    told: Counter[tuple[str, str, str]] = Counter()
    while not inbox.alerts.empty():
        for one in inbox.alerts.get_nowait()["signals"]:
            if one["rule"] == "contradicted_claim" and one["state"] == "firing":
                told[one["service"], one["rule"], str(one["starts_at"])] += 1
    return told
