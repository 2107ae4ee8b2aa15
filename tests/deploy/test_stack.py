"""The shipped rules, routes and dashboards against a live monitor, Prometheus and Alertmanager."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from deploy.compose.app import MODELS
from deploy.pictures.render import render
from deploy.pictures.source import Prometheus, interpolate
from tests.deploy.answers import without_data
from tests.deploy.replay import replay
from tests.deploy.series import UNSEEN, exposed, looked_at
from tests.deploy.shipped import DASHBOARDS, SERVICE, VARIABLES, expressions, is_kafkas, panels
from tests.deploy.stack import Customers, Stack, stack, wait_for
from tests.servers import get_json, require

FIRED = f"FIRING page: GroundwatchLowFaithfulness service={SERVICE} judge=lexical"
RESOLVED = FIRED.replace("FIRING", "RESOLVED")
WRONG = "You can get a full refund within 90 days of purchase."


class Seen(NamedTuple):
    """What the run left: expressions without data, names of series, the inbox, the evidence behind the worst exemplars,
    pictures.
    """

    empty: dict[str, str]
    exposed: set[str]
    inbox: str
    evidence: list[dict[str, object]]
    models: set[str]
    pictures: dict[str, str]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """One run: good answers, wrong ones until somebody is paged, good ones until it is over."""
    require("prometheus", "prometheus-alertmanager")
    return asyncio.run(_incident(tmp_path_factory.mktemp("stack")))


async def _incident(folder: Path) -> Seen:
    async with stack(folder) as running:
        return await _seen(running)


async def _seen(running: Stack) -> Seen:
    prometheus = Prometheus(running.prometheus)
    with Customers(running.monitor.grpc, pace=30) as customers:
        await asyncio.sleep(4)
        customers.wrong = 1.0
        await wait_for(lambda: FIRED in running.received(), 40, FIRED)
        await asyncio.to_thread(replay, running.monitor.http, floods=900)
        customers.wrong = 0.0
        evidence = await _worst(running, prometheus)
        wanted = {name: expr for name, expr in expressions().items() if not is_kafkas(expr)}
        empty = await asyncio.to_thread(without_data, prometheus, wanted, 15)
        exposes = exposed(running.monitor.get("/metrics"))
        await wait_for(lambda: RESOLVED in running.received(), 40, RESOLVED)
        pictures = await asyncio.to_thread(_pictures, prometheus)
    return Seen(empty, exposes, running.received(), evidence, _models(prometheus), pictures)


def _models(prometheus: Prometheus) -> set[str]:
    """The slices by model that have an interval."""
    of = f'{{metric="faithfulness",service="{SERVICE}",attribute="gen_ai.request.model"}}'
    return {one.labels["value"] for one in prometheus.instant(f"slice:groundwatch_bad_share:high30m{of}")}


def _pictures(prometheus: Prometheus) -> dict[str, str]:
    now = time.time()
    boards = {file.stem: json.loads(file.read_text()) for file in DASHBOARDS}
    return {name: render(board, prometheus, VARIABLES, now - 60, now, _rows(board)) for name, board in boards.items()}


def _rows(board: dict[str, Any]) -> list[str]:
    """Its rows but that of Kafka: nothing here reads from it."""
    return [panel["title"] for panel in board["panels"] if panel["type"] == "row" and panel["title"] != "Kafka"]


async def _worst(running: Stack, prometheus: Prometheus) -> list[dict[str, object]]:
    """The evidence of the traces behind the lowest scores in the panel of the worst traces."""
    (target,) = next(panel["targets"] for _, panel in panels() if panel["title"] == "Lowest faithfulness")
    assert target["exemplar"]
    now, expr = time.time(), interpolate(target["expr"], VARIABLES)
    found = await asyncio.to_thread(prometheus.exemplars, expr, now - 300, now)
    ids = {exemplar.trace_id for exemplar in found if exemplar.value < 0.5}
    return [await get_json(f"{running.monitor.web}/traces/{trace_id}", format="json") for trace_id in sorted(ids)]


def test_every_panel_and_every_rule_expression_returns_data(seen: Seen) -> None:
    assert seen.empty == {}


def test_each_of_the_models_has_its_own_scores_with_an_interval(seen: Seen) -> None:
    assert set(MODELS) <= seen.models


def test_every_series_is_in_a_panel_or_a_rule_unless_a_reason_is_given(seen: Seen) -> None:
    assert seen.exposed - looked_at() == UNSEEN.keys()


def test_low_faithfulness_reaches_a_pager_and_resolves(seen: Seen) -> None:
    assert seen.inbox.index(FIRED) < seen.inbox.index(RESOLVED)
    assert "deploy/docs/runbooks/GroundwatchLowFaithfulness.md" in seen.inbox


def test_the_monitors_own_alert_arrives_as_a_ticket_with_claim_and_chunk(seen: Seen) -> None:
    alert = seen.inbox.partition(f"FIRING ticket: contradicted_claim service={SERVICE} judge=lexical")[2]
    assert WRONG in alert
    assert "refund-policy#1" in alert


def test_the_exemplars_of_low_scores_lead_to_the_traces_with_the_wrong_answer(seen: Seen) -> None:
    assert seen.evidence
    for document in seen.evidence:
        assert document["service"] == SERVICE
        assert document["sample"]["answer"] == WRONG  # type: ignore[index]


def test_every_panel_can_be_drawn_from_the_data(seen: Seen) -> None:
    texts = {name: {element.text for element in drawn(picture).iter()} for name, picture in seen.pictures.items()}
    for board, panel in panels():
        if not is_kafkas(panel["targets"][0]["expr"]):
            assert panel["title"] in texts[board]
    assert not {"no data", "nothing fired"} & set().union(*texts.values())


def drawn(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)  # noqa: S314  we drew it
