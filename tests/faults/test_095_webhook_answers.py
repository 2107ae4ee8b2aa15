"""Row 95: 5xx and 429 are tried again, the latter not before it may be; 404 is final."""

import pytest

from alerts.notifiers.webhook import WebhookSettings
from alerts.rules import TraceRule
from tests.alerts.engines import bench, series
from tests.fakes import FakeClock, ReceiverStub, StubReply
from tests.verdicts import contradicted


@pytest.mark.parametrize(
    ("script", "seconds", "requests", "outcome"),
    [
        ((StubReply(status=500), StubReply()), 5.0, 2, "delivered"),
        ((StubReply(status=429, headers={"Retry-After": "30"}), StubReply()), 25.0, 1, "retried"),
        ((StubReply(status=429, headers={"Retry-After": "30"}), StubReply()), 35.0, 2, "delivered"),
        ((StubReply(status=404),), 600.0, 1, "rejected"),
    ],
)
async def test_the_answer_decides_what_is_next(
    script: tuple[StubReply, ...], seconds: float, requests: int, outcome: str
) -> None:
    clock = FakeClock()
    async with ReceiverStub(*script) as receiver:
        notifiers = WebhookSettings.model_validate({"type": "webhook", "url": receiver.url}).build(clock)
        b = bench(TraceRule(name="r", contradicted=True), clock=clock, others=tuple(notifiers))
        b.observe(contradicted(1))
        await b.tick(seconds)
        assert len(receiver.bodies) == requests
        assert series(b.metrics, "groundwatch_notifications_total", notifier="webhook", outcome=outcome) == 1.0
        await b.engine.stop()
