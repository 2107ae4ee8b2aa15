"""The notifier's contract, as far as Apprise lets it be kept, over a real receiver of its own kind."""

import logging

import orjson
import pytest
from pydantic import ValidationError

from alerts.notifiers.apprise import AppriseSettings
from alerts.notifiers.base import Notifier
from alerts.signals import SignalState
from evaluators.errors import PermanentError, RetryableError
from tests.contracts.test_notifier import signal
from tests.fakes import FakeClock, ReceiverStub, StubReply


def notifier(address: str) -> Notifier:
    return AppriseSettings.model_validate({"type": "apprise", "urls": [address]}).build(FakeClock())[0]


def over(receiver: ReceiverStub) -> Notifier:
    return notifier(f"json://user:s3cret-password@{receiver.url.removeprefix('http://')}/s3cret-path")


async def test_a_group_is_one_message_with_its_alerts_and_links() -> None:
    async with ReceiverStub() as receiver:
        await over(receiver).send([signal("a"), signal("b")])
    (body,) = receiver.bodies
    sent = orjson.loads(body)
    assert sent["title"].startswith('[ticket] faithfulness of a: answer says "90 days"')
    assert sent["title"].endswith("(and 1 more)")
    assert "faithfulness of b" in sent["message"]
    assert "evidence: http://127.0.0.1:9464/traces/1" in sent["message"]
    assert sent["type"] == "warning"


async def test_a_resolved_group_says_so() -> None:
    async with ReceiverStub() as receiver:
        await over(receiver).send([signal(state=SignalState.RESOLVED, ends_at=1_800_000_060.0)])
    assert orjson.loads(receiver.bodies[0])["title"].startswith("[resolved] ")
    assert orjson.loads(receiver.bodies[0])["type"] == "success"


async def test_a_large_group_says_how_many_are_not_shown() -> None:
    async with ReceiverStub() as receiver:
        await over(receiver).send([signal(f"service-{n}") for n in range(1000)])
    assert len(receiver.bodies[0]) < 6000
    assert orjson.loads(receiver.bodies[0])["message"].endswith("and 990 more alerts of this group")


@pytest.mark.parametrize("status", [400, 500])
async def test_what_is_not_taken_may_be_taken_later_and_no_log_holds_a_secret(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with ReceiverStub(StubReply(status=status)) as receiver:
        one = over(receiver)
        with caplog.at_level(logging.INFO), pytest.raises(RetryableError) as caught:
            await one.send([signal()])
    assert "s3cret" not in f"{caught.value!r} {caplog.text} {one!r}"


def test_an_address_that_apprise_does_not_know_is_refused_at_start_without_showing_it() -> None:
    with pytest.raises(PermanentError, match=r"urls\[0\] is no address that Apprise knows") as caught:
        notifier("nonsense-s3cret://x")
    assert "s3cret" not in str(caught.value)


def test_settings_print_no_secret() -> None:
    settings = AppriseSettings.model_validate({"type": "apprise", "urls": ["mailto://u:s3cret@example.org"]})
    assert "s3cret" not in f"{settings!r} {settings.model_dump()} {settings.model_dump_json()}"
    with pytest.raises(ValidationError):
        AppriseSettings.model_validate({"type": "apprise", "urls": []})
