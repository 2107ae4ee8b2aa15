"""From an unmodified exporter to a person: real applications, the real command, real Prometheus and Alertmanager."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from collector.demo.inbox import Inbox
from tests.monitor import Monitor, monitor
from tests.servers import alertmanager, get_json, prometheus, until

APPS = Path(__file__).parent / "apps"
WRONG = "You can get a full refund within 90 days of purchase."
RIGHT = "You can get a full refund within 30 days of purchase."
LIMIT_S = 10.0
"""From the trace's end to the alert."""


async def run_app(name: str, endpoint: str, answer: str) -> float:
    """Run an application to its end; returns the time at which its spans were exported."""
    process = await asyncio.create_subprocess_exec(sys.executable, str(APPS / name), endpoint, answer)
    assert await process.wait() == 0
    return time.monotonic()


@asynccontextmanager
async def watched(folder: Path, *urls: str) -> AsyncIterator[tuple[Monitor, Inbox]]:
    """A monitor that notifies a webhook, and the Alertmanagers at `urls`."""
    inbox = Inbox()
    notifiers: list[dict[str, Any]] = [{"type": "webhook", "url": await inbox.start()}]
    if urls:
        notifiers.append({"type": "alertmanager", "urls": list(urls)})
    try:
        with monitor(folder, alerts={"notifiers": notifiers}) as running:
            yield running, inbox
    finally:
        await inbox.stop()


@pytest.mark.parametrize(("app", "protocol"), [("langchain_app.py", "grpc"), ("plain_app.py", "http")])
async def test_a_contradicted_answer_pages_within_ten_seconds_and_names_claim_and_chunk(
    tmp_path: Path, app: str, protocol: str
) -> None:
    async with watched(tmp_path) as (running, inbox):
        endpoint = running.grpc if protocol == "grpc" else running.http
        await run_app(app, endpoint, RIGHT)
        ended = await run_app(app, endpoint, WRONG)
        notification = await asyncio.wait_for(inbox.alerts.get(), LIMIT_S)
        took = time.monotonic() - ended
        (signal,) = notification["signals"]
        (worst,) = signal["traces"]
        evidence = await get_json(f"{running.web}/traces/{worst['trace_id']}", format="json")
    assert took < LIMIT_S
    assert signal["rule"] == "contradicted_claim"
    assert (worst["claim"], worst["claimed"], worst["found"]) == (WRONG, "90 days", "30 days")
    assert worst["chunk"] == "refund-policy#1"
    assert signal["diagnosis"] == "generation"
    assert evidence["sample"]["answer"] == WRONG


async def test_a_grounded_answer_raises_nothing(tmp_path: Path) -> None:
    async with watched(tmp_path) as (running, inbox):
        await run_app("langchain_app.py", running.grpc, RIGHT)
        await until(lambda: "groundwatch_score_count{" in running.get("/metrics"))
        text = running.get("/metrics")
        assert 'groundwatch_rule_firing{rule="contradicted_claim",service="langchain-shop"} 0.0' in text
        assert running.stop() == 0
        assert inbox.alerts.empty()


async def test_the_alert_stands_in_alertmanager_and_the_series_in_prometheus(tmp_path: Path) -> None:
    async with alertmanager(tmp_path / "alertmanager") as url, watched(tmp_path, url) as (running, _):
        target = running.web.removeprefix("http://")
        async with prometheus(tmp_path / "prometheus", target) as database:
            ended = await run_app("langchain_app.py", running.grpc, WRONG)
            alerts = await until(lambda: get_json(f"{url}/api/v2/alerts"), LIMIT_S)
            assert time.monotonic() - ended < LIMIT_S

            async def value(query: str) -> str | None:
                answer = await get_json(f"{database}/api/v1/query", query=query)
                return answer["data"]["result"][0]["value"][1] if answer and answer["data"]["result"] else None

            query = 'groundwatch_score_sum{service="langchain-shop",metric="hallucination",judge="lexical"}'
            assert await until(lambda: value(query)) == "1"
            assert await until(lambda: value('groundwatch_rule_firing{rule="contradicted_claim"} == 1')) == "1"
    (alert,) = alerts
    assert alert["labels"]["service"] == "langchain-shop"
    assert "90 days" in alert["annotations"]["summary"]
    assert alert["annotations"]["chunk"] == "refund-policy#1"


async def test_sigterm_finishes_what_is_in_flight_and_exits_well(tmp_path: Path) -> None:
    async with watched(tmp_path) as (running, inbox):
        await run_app("plain_app.py", running.http, WRONG)
        assert await asyncio.to_thread(running.stop) == 0
        assert not inbox.alerts.empty(), "the trace was still open when the monitor was told to stop"
        assert "0 verdicts were left" in running.log.read_text()
