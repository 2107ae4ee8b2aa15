"""The roles as compose.scaled.yaml starts them, on a real broker and a real Redis, watched by a real Prometheus."""

import asyncio
import json
import re
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from deploy.pictures.render import render
from deploy.pictures.source import Prometheus
from tests.deploy.answers import without_data
from tests.deploy.kafka_stack import KafkaStack, kafka_stack
from tests.deploy.replay import post
from tests.deploy.series import UNSEEN, exposed, looked_at
from tests.deploy.shipped import DEPLOY, VARIABLES, expressions, is_kafkas
from tests.deploy.stack import wait_for
from tests.deploy.troubles import Troubles, never_above_zero
from tests.kafka.broker import Broker
from tests.kafka.topics import WRONG, spans_of, topics_on, trace_id
from tests.monitor import Monitor
from tests.servers import get_json, require

COLLECTED, SENT = range(1, 41), range(41, 81)
LARGE, SLOW = 100, 1000

EXPRESSIONS = {name: expr for name, expr in expressions().items() if is_kafkas(expr)}

QUIET = {
    'commits_total{outcome="failed"': "a coordinator refuses a commit only between a member's absence and its return",
    "stream_replay_messages": "few evaluations are read again within milliseconds",
    "stream_messages_pending": "a broker acknowledges within milliseconds",
}
"""What may be 0 at every scrape, and why; tests/kafka and the rules' unit tests show it otherwise."""


class Seen(NamedTuple):
    """What the run left. `judged` are scores for faithfulness by worker, and `pending` the messages on their way, both
    before anything went wrong.
    """

    judged: list[float]
    pending: float
    evidence: list[Any]
    inbox: str
    empty: dict[str, str]
    zero: list[str]
    exposed: set[str]
    picture: str
    exits: list[int]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, apache_kafka: Broker) -> Seen:
    """One run: traces by both ways, then all that can go wrong within seconds, then all is well again."""
    require("redis-server", "prometheus", "prometheus-alertmanager")
    return asyncio.run(_run(tmp_path_factory.mktemp("scaled"), apache_kafka.address))


async def _run(folder: Path, broker: str) -> Seen:
    async with kafka_stack(folder, broker) as running:
        began, workers = time.time(), running.scaled.workers
        await _judge(running)
        judged = [scored(worker) for worker in workers]
        pending = sum(value(one, "groundwatch_stream_messages_pending", "topic") for one in running.scaled.everyone)
        pages = [f"{running.scaled.alert.web}/traces/{trace_id(one).hex()}" for one in (COLLECTED[0], SENT[0])]
        evidence = [await get_json(page, format="json") for page in pages]
        await _go_wrong(running)
        prometheus = Prometheus(running.prometheus)
        empty = await asyncio.to_thread(without_data, prometheus, EXPRESSIONS, 15)
        zero = await asyncio.to_thread(never_above_zero, prometheus, EXPRESSIONS.values())
        names = set().union(*(exposed(one.get("/metrics")) for one in running.scaled.everyone))
        board = json.loads((DEPLOY / "grafana/dashboards/monitor.json").read_text())
        picture = await asyncio.to_thread(render, board, prometheus, VARIABLES, began, time.time(), ["Kafka"])
        exits = await asyncio.gather(*(asyncio.to_thread(one.stop) for one in running.scaled.everyone))
        return Seen(judged, pending, evidence, running.received(), empty, zero, names, picture, exits)


async def _judge(running: KafkaStack) -> None:
    async with topics_on(running.broker) as topics:
        # As a Collector writes them: `receive` is not passed.
        await topics.send_traces(running.scaled.topics["otlp_spans"], COLLECTED, partitions=12)
    for number in SENT:
        assert await asyncio.to_thread(post, running.scaled.front.http, spans_of(number, answer=WRONG)) == 200
    wanted = len(COLLECTED) + len(SENT)
    await wait_for(lambda: sum(map(scored, running.scaled.workers)) >= wanted, 20, "every trace judged")
    await wait_for(lambda: "contradicted_claim" in running.received(), 20, "an alert")


async def _go_wrong(running: KafkaStack) -> None:
    async with topics_on(running.broker) as topics:
        troubles = Troubles(running, topics)
        await troubles.bad_messages(LARGE)
        await troubles.slow_judge(SLOW)
        await troubles.dead_letters()
        await troubles.lost_worker()
        await troubles.mend()


def scored(worker: Monitor) -> float:
    """The traces that have the embedded judge's score for faithfulness."""
    return value(worker, "groundwatch_score_count", 'judge="lexical",metric="faithfulness"')


def value(process: Monitor, name: str, labels: str) -> float:
    """The sum of the series of a name whose labels contain these."""
    wanted = labels.split(",")
    found = re.findall(rf"^{name}\{{(.*)\}} ([\d.e+]+)$", process.get("/metrics"), re.MULTILINE)
    return sum(float(number) for have, number in found if all(one in have for one in wanted))


def test_the_scaled_stack_judges_every_trace_once(seen: Seen) -> None:
    assert sum(seen.judged) == len(COLLECTED) + len(SENT)
    assert all(seen.judged), "one worker did all the work"
    assert seen.pending == 0


def test_the_wrong_answer_reaches_a_person_and_every_trace_has_its_page(seen: Seen) -> None:
    alert = seen.inbox.partition("FIRING ticket: contradicted_claim service=shop judge=lexical")[2]
    assert WRONG in alert
    assert all(seen.evidence)


def test_every_panel_and_rule_about_kafka_returns_what_real_processes_counted(seen: Seen) -> None:
    assert seen.empty == {}
    assert [expr for expr in seen.zero if not any(part in expr for part in QUIET)] == []


def test_every_series_of_every_role_is_in_a_panel_or_a_rule_unless_a_reason_is_given(seen: Seen) -> None:
    assert seen.exposed - looked_at() == UNSEEN.keys()


def test_the_panels_about_kafka_can_be_drawn(seen: Seen) -> None:
    assert ">no data<" not in seen.picture


def test_after_all_that_every_process_ends_as_told(seen: Seen) -> None:
    assert seen.exits == [0] * 4
