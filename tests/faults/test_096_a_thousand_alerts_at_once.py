"""Row 96: a thousand rules that breach at once are one message per group, and say how many are not shown."""

import orjson

from alerts.notifiers.pagerduty import PagerDutySettings
from alerts.notifiers.slack import SlackSettings
from alerts.notifiers.webhook import WebhookSettings
from alerts.rules import TraceRule
from tests.alerts.engines import bench
from tests.fakes import FakeClock, ReceiverStub
from tests.verdicts import contradicted

RULES = [TraceRule(name=f"rule_{number}", contradicted=True) for number in range(1000)]


async def test_people_get_one_message_with_a_count_and_programs_get_every_signal() -> None:
    clock = FakeClock()
    async with ReceiverStub() as slack, ReceiverStub() as pager, ReceiverStub() as hook:
        others = [
            *SlackSettings.model_validate({"type": "slack", "url": slack.url}).build(clock),
            *PagerDutySettings.model_validate({"type": "pagerduty", "url": pager.url, "routing_key": "k"}).build(clock),
            *WebhookSettings.model_validate({"type": "webhook", "url": hook.url}).build(clock),
        ]
        b = bench(*RULES, clock=clock, others=tuple(others))
        b.observe(contradicted(1))
        await b.tick(30.0)
        await b.engine.stop()
    (message,), (event,) = slack.bodies, pager.bodies
    assert "and 990 more alerts of this group" in message.decode()
    assert len(orjson.loads(message)["blocks"]) <= 50
    assert orjson.loads(event)["payload"]["custom_details"]["truncated"] == 990
    assert "(and 999 more)" in orjson.loads(event)["payload"]["summary"]
    told = [one["rule"] for body in hook.bodies for one in orjson.loads(body)["signals"]]
    assert len(told) == len(set(told)) == 1000
