"""Row 100: with `content: ids` nothing of question, answer and chunks leaves in an alert; logs never hold any of it.

`full` is the default, because an alert that names the failing claim is what the monitor is for; what it quotes is cut
and redacted.
"""

import logging
from dataclasses import replace

import pytest

from alerts.notifiers.pagerduty import PagerDutySettings
from alerts.notifiers.slack import SlackSettings
from alerts.notifiers.webhook import WebhookSettings
from alerts.rules import TraceRule
from evaluators.evaluation import Assessment
from evaluators.facets import ClaimSupport
from tests.alerts.engines import bench
from tests.fakes import FakeClock, ReceiverStub, StubReply
from tests.verdicts import CONTRADICTED, contradicted

NAME = "Erika Mustermann"
MAIL = "erika@example.org"
RULE = TraceRule(name="r", contradicted=True)


def personal(number: int) -> Assessment:
    made = contradicted(number)
    claim = replace(CONTRADICTED, claim=f"{NAME} owes us 90 euros, says {MAIL}", quote=f"{NAME} paid, wrote {MAIL}")
    claim = replace(claim, conflict=None)
    sample = replace(made.sample, question=f"What does {NAME} owe?", answer=claim.claim)
    return replace(made, sample=sample, answers=replace(made.answers, claim_support=ClaimSupport((claim,))))


async def told(content: str, *, status: int = 200) -> bytes:
    """Everything that three receivers got."""
    clock = FakeClock()
    async with ReceiverStub(StubReply(status=status)) as receiver:
        others = [
            *SlackSettings.model_validate({"type": "slack", "url": receiver.url}).build(clock),
            *PagerDutySettings.model_validate({"type": "pagerduty", "url": receiver.url, "routing_key": "k"}).build(
                clock
            ),
            *WebhookSettings.model_validate({"type": "webhook", "url": receiver.url}).build(clock),
        ]
        b = bench(RULE, clock=clock, others=tuple(others), content=content)
        b.observe(personal(1))
        await b.tick(3.0)
        await b.engine.stop()
        return b"\n".join(receiver.bodies)


async def test_ids_keep_content_out_of_every_receiver() -> None:
    sent = await told("ids")
    assert sent.count(b"refund-policy#1") >= 3
    assert NAME.encode() not in sent
    assert b"euros" not in sent


async def test_full_names_the_claim_without_addresses_and_keys() -> None:
    sent = await told("full")
    assert NAME.encode() in sent
    assert b"[e-mail]" in sent
    assert MAIL.encode() not in sent


@pytest.mark.parametrize("status", [200, 400, 503])
async def test_logs_hold_no_content_whatever_becomes_of_a_notification(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        await told("full", status=status)
    assert "euros" not in caplog.text
    assert NAME not in caplog.text
