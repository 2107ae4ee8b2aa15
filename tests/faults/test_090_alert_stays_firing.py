"""Row 90: Alertmanager hears of a firing alert well inside its resolve timeout, others at the repeat interval."""

import orjson

from alerts.notifiers.alertmanager import LASTS_S, AlertmanagerSettings
from alerts.notifiers.webhook import WebhookSettings
from alerts.rules import TraceRule
from tests.alerts.engines import bench
from tests.fakes import FakeClock, ReceiverStub
from tests.verdicts import contradicted


async def test_it_is_sent_again_each_minute_with_an_end_five_minutes_ahead() -> None:
    clock = FakeClock()
    async with ReceiverStub() as manager, ReceiverStub() as hook:
        settings = AlertmanagerSettings.model_validate({"type": "alertmanager", "urls": [manager.url]})
        (webhook,) = WebhookSettings.model_validate({"type": "webhook", "url": hook.url}).build(clock)
        rule = TraceRule(name="r", contradicted=True, cooldown=86_400.0)
        b = bench(rule, clock=clock, others=(*settings.build(clock), webhook))
        b.observe(contradicted(1))
        await b.tick(600.0)
        alerts = [orjson.loads(body)[0] for body in manager.bodies]
        assert 10 <= len(alerts) <= 11
        assert len({alert["startsAt"] for alert in alerts}) == 1
        assert alerts[-1]["endsAt"] == "2027-01-15T08:15:00.000Z"
        assert LASTS_S / 3 >= 60.0
        assert len(hook.bodies) == 1
        await b.tick(4 * 3600.0, step=60.0)
        assert len(hook.bodies) == 2
        await b.engine.stop()
