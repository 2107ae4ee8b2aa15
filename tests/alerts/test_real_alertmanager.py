"""Against the Alertmanager and the Prometheus that people run."""

from pathlib import Path
from typing import Any

import orjson

from alerts.notifiers.alertmanager import AlertmanagerSettings
from alerts.notifiers.webhook import WebhookSettings
from alerts.rules import TraceRule
from alerts.web import Web, WebSettings
from evaluators.clock import SystemClock
from tests.alerts.engines import Bench, bench
from tests.fakes import FakeClock, ReceiverStub
from tests.servers import alertmanager, free_port, get_json, prometheus, require, until
from tests.verdicts import contradicted, good, trace_id

RULE = TraceRule(name="contradicted_claim", contradicted=True, cooldown=600.0)


class RealEpoch(FakeClock):
    """Wall time as it is, since Alertmanager has its own; durations as the test says."""

    def wall(self) -> float:
        return SystemClock().wall()


def connected(*urls: str, **more: Any) -> Bench:
    clock = RealEpoch()
    settings = {"type": "alertmanager", "urls": list(urls), "labels": {"env": "test"}}
    notifiers = AlertmanagerSettings.model_validate(settings).build(clock)
    return bench(RULE, others=tuple(notifiers), clock=clock, **more)


async def alerts_at(url: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await get_json(f"{url}/api/v2/alerts") or []
    return found


async def test_an_alert_arrives_is_sent_again_and_resolves(tmp_path: Path) -> None:
    async with ReceiverStub() as hook, alertmanager(tmp_path, webhook=f"{hook.url}/hook") as url:
        b = connected(url)
        b.observe(contradicted(7))
        await b.tick()
        (alert,) = await alerts_at(url)
        assert alert["labels"] == {
            "alertname": "contradicted_claim",
            "service": "shop-assistant",
            "metric": "faithfulness",
            "judge": "lexical",
            "severity": "ticket",
            "env": "test",
        }
        assert 'answer says "90 days", chunk refund-policy#1 says "30 days"' in alert["annotations"]["summary"]
        assert alert["annotations"]["worst_traces"] == trace_id(7)
        assert alert["generatorURL"].endswith(trace_id(7))
        await until(lambda: hook.bodies)
        assert orjson.loads(hook.bodies[0])["status"] == "firing"

        b.clock.advance(61.0)
        await b.tick()
        (again,) = await alerts_at(url)
        assert again["fingerprint"] == alert["fingerprint"]
        assert again["startsAt"] == alert["startsAt"]
        assert again["endsAt"] > alert["endsAt"]

        b.clock.advance(700.0)
        await b.tick()
        assert await alerts_at(url) == []
        await until(lambda: any(orjson.loads(body)["status"] == "resolved" for body in hook.bodies))
        await b.engine.stop()


async def test_an_alertmanager_that_restarts_learns_the_state_again(tmp_path: Path) -> None:
    require("prometheus-alertmanager")
    port = free_port()
    b = connected(f"http://127.0.0.1:{port}")
    b.observe(contradicted(1))
    await b.tick()
    assert list(b.engine.notifier_health.values()) == [True, False]
    b.clock.advance(61.0)
    async with alertmanager(tmp_path / "first", port=port) as url:
        await b.tick()
        assert len(await alerts_at(url)) == 1
    b.clock.advance(61.0)
    async with alertmanager(tmp_path / "second", port=port) as url:
        assert await alerts_at(url) == []
        await b.tick()
        assert len(await alerts_at(url)) == 1
        assert all(b.engine.notifier_health.values())
    await b.engine.stop()


async def test_a_monitor_that_restarts_tells_no_second_alert_and_ends_the_first(tmp_path: Path) -> None:
    async with ReceiverStub() as hook, alertmanager(tmp_path, webhook=f"{hook.url}/hook") as url:
        first = connected(url, outbox_path=tmp_path / "outbox.db")
        first.observe(contradicted(7))
        await first.tick()
        (alert,) = await alerts_at(url)
        await until(lambda: hook.bodies)
        await first.engine.stop()
        second = connected(url, outbox_path=tmp_path / "outbox.db")
        await second.tick(70.0, step=10.0)
        (again,) = await alerts_at(url)
        assert (again["fingerprint"], again["startsAt"]) == (alert["fingerprint"], alert["startsAt"])
        assert again["annotations"]["summary"] == alert["annotations"]["summary"]
        second.clock.advance(700.0)
        await second.tick()
        assert await alerts_at(url) == []
        await until(lambda: [orjson.loads(body)["status"] for body in hook.bodies] == ["firing", "resolved"])
        await second.engine.stop()


async def test_each_of_two_alertmanagers_gets_every_alert(tmp_path: Path) -> None:
    async with alertmanager(tmp_path / "a") as one, alertmanager(tmp_path / "b") as other:
        b = connected(one, other)
        b.observe(contradicted(1, service="shop"), contradicted(2, service="bot"))
        await b.tick()
        for url in (one, other):
            assert {alert["labels"]["service"] for alert in await alerts_at(url)} == {"shop", "bot"}
        await b.engine.stop()


async def test_a_webhook_is_told_at_first_and_at_resolve(tmp_path: Path) -> None:
    async with ReceiverStub() as hook:
        (notifier,) = WebhookSettings.model_validate({"type": "webhook", "url": hook.url}).build(SystemClock())
        b = bench(RULE, others=(notifier,))
        b.observe(contradicted(1))
        await b.tick(300.0, step=10.0)
        await b.tick(400.0, step=10.0)
        told = [one["state"] for body in hook.bodies for one in orjson.loads(body)["signals"]]
        assert told == ["firing", "resolved"]
        await b.engine.stop()


async def test_a_prometheus_scrapes_series_and_exemplars(tmp_path: Path) -> None:
    require("prometheus")
    b = bench(RULE)
    for verdict in (contradicted(7), *(good(n) for n in range(20, 25))):
        b.metrics.assessment(verdict)
        b.observe(verdict)
    await b.tick()
    web = Web(WebSettings(port=0), b.metrics, b.store, dict)
    await web.start()
    try:
        async with prometheus(tmp_path, f"127.0.0.1:{web.port}") as url:

            async def value(query: str) -> list[Any]:
                answer = await get_json(f"{url}/api/v1/query", query=query)
                return answer["data"]["result"] if answer else []

            (firing,) = await until(lambda: value('groundwatch_rule_firing{service="shop-assistant"}'))
            assert firing["value"][1] == "1"
            (share,) = await value(
                'groundwatch_score_bucket{metric="faithfulness",le="0.85"} / '
                'ignoring(le) groundwatch_score_bucket{metric="faithfulness",le="+Inf"}'
            )
            assert float(share["value"][1]) == 1 / 6
            query = 'groundwatch_score_bucket{metric="hallucination"}'
            answer = await get_json(f"{url}/api/v1/query_exemplars", query=query, start="0", end="4102444800")
            found = {one["labels"]["trace_id"] for series in answer["data"] for one in series["exemplars"]}
            assert trace_id(7) in found
    finally:
        await web.stop()
