"""Row 91: a resolved alert is told to Alertmanager for five minutes, so that a restart does not lose its end."""

import orjson

from alerts.notifiers.alertmanager import AlertmanagerSettings
from alerts.rules import TraceRule
from tests.alerts.engines import bench
from tests.fakes import FakeClock, ReceiverStub
from tests.verdicts import contradicted, good


async def test_its_end_is_repeated_for_five_minutes_and_no_longer() -> None:
    clock = FakeClock()
    async with ReceiverStub() as manager:
        settings = AlertmanagerSettings.model_validate({"type": "alertmanager", "urls": [manager.url]})
        rule = TraceRule(name="r", contradicted=True)
        b = bench(rule, clock=clock, others=tuple(settings.build(clock)))
        b.observe(contradicted(1))
        await b.tick(5.0)
        b.observe(good(1, revision=1))
        await b.tick(1200.0)
        firing, *resolved = [orjson.loads(body)[0] for body in manager.bodies]
        assert firing["endsAt"] > resolved[0]["endsAt"]
        assert len({alert["endsAt"] for alert in resolved}) == 1
        assert len(resolved) == 5
        await b.engine.stop()
