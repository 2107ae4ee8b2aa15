"""Row 93: of several Alertmanagers each gets every alert and every re-send; none waits for another that is down."""

import orjson

from alerts.notifiers.alertmanager import AlertmanagerSettings
from alerts.rules import TraceRule
from tests.alerts.engines import bench
from tests.fakes import FakeClock, ReceiverStub, StubReply
from tests.verdicts import contradicted


async def test_each_gets_everything_and_the_one_that_was_down_gets_the_state_afterwards() -> None:
    clock = FakeClock()
    async with ReceiverStub() as one, ReceiverStub(StubReply(status=503)) as other:
        settings = AlertmanagerSettings.model_validate({"type": "alertmanager", "urls": [one.url, other.url]})
        rule = TraceRule(name="r", contradicted=True, cooldown=86_400.0)
        b = bench(rule, clock=clock, others=tuple(settings.build(clock)))
        b.observe(contradicted(1, service="shop"), contradicted(2, service="bot"))
        await b.tick(130.0)
        assert len(one.bodies) == 3
        other.script = [StubReply()]
        refused = len(other.bodies)
        await b.tick(70.0)
        await b.engine.stop()
    for bodies in (one.bodies[:1], other.bodies[refused:][:1]):
        (alerts,) = [orjson.loads(body) for body in bodies]
        assert {alert["labels"]["service"] for alert in alerts} == {"shop", "bot"}
