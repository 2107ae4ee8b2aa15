"""Row 92: a receiver that is down is tried with growing pauses, delays no other, and gets the state once afterwards."""

import orjson

from alerts.notifiers.alertmanager import AlertmanagerSettings
from alerts.rules import TraceRule
from tests.alerts.engines import bench, series
from tests.fakes import FakeClock, ReceiverStub, StubReply
from tests.verdicts import contradicted


async def test_after_the_outage_the_state_is_sent_once_without_a_storm() -> None:
    clock = FakeClock()
    async with ReceiverStub(StubReply(status=503)) as manager:
        settings = AlertmanagerSettings.model_validate({"type": "alertmanager", "urls": [manager.url]})
        rule = TraceRule(name="r", contradicted=True, cooldown=86_400.0)
        b = bench(rule, clock=clock, others=tuple(settings.build(clock)))
        for number in range(20):
            b.observe(contradicted(number, service=f"service-{number}"))
        assert len(await b.tick(600.0)) == 20
        assert 12 <= len(manager.bodies) <= 30
        assert series(b.metrics, "groundwatch_notifications_total", notifier="alertmanager", outcome="retried")
        manager.script = [StubReply()]
        failed = len(manager.bodies)
        await b.tick(60.0)
        batches = [orjson.loads(body) for body in manager.bodies[failed:]]
        assert [len(batch) for batch in batches[:1]] == [20]
        assert len(batches) <= 2
        await b.engine.stop()
