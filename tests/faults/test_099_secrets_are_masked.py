"""Row 99: a secret shows in no log, metric, alert, error, settings print or validation message."""

import logging

import pytest
from pydantic import ValidationError

from alerts.notifiers.registry import build_notifiers
from alerts.rules import TraceRule
from alerts.settings import AlertSettings
from alerts.web import WebSettings
from tests.alerts.engines import bench
from tests.fakes import FakeClock, ReceiverStub, StubReply
from tests.verdicts import contradicted

SECRET = "hunter2-s3cret"


async def test_a_failing_receiver_tells_its_host_and_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    async with ReceiverStub(StubReply(SECRET.encode(), status=403)) as receiver:
        settings = AlertSettings.model_validate(
            {
                "notifiers": [
                    {
                        "type": "webhook",
                        "url": f"{receiver.url}/{SECRET}?k={SECRET}",
                        "secret": SECRET,
                        "token": SECRET,
                    },
                    {"type": "alertmanager", "urls": [f"http://user:{SECRET}@127.0.0.1:1"]},
                ]
            }
        )
        notifiers = build_notifiers(settings.notifiers, clock)
        b = bench(TraceRule(name="r", contradicted=True), clock=clock, others=tuple(notifiers))
        b.observe(contradicted(1))
        with caplog.at_level(logging.DEBUG):
            await b.tick(5.0)
        await b.engine.stop()
    b.metrics.refresh()
    told = b"".join(receiver.bodies).decode() + b.metrics.render()[0].decode() + caplog.text
    assert "http://127.0.0.1:1/***: ClientConnectorError" in caplog.text
    assert "HTTP 403" in caplog.text
    assert SECRET not in told
    assert SECRET not in f"{settings!r} {settings.model_dump()} {settings.model_dump_json()}"


@pytest.mark.parametrize(
    "settings",
    [
        {"notifiers": [{"type": "webhook", "url": f"ftp://{SECRET}/"}]},
        {"notifiers": [{"type": "webhook", "url": "http://h/", "secret": SECRET, "extra": SECRET}]},
        {"notifiers": [{"type": "webhook", "url": "http://h/", "secret": SECRET, "secret_env": "PATH"}]},
        {"notifiers": [{"type": "alertmanager", "urls": [SECRET], "token": SECRET}]},
    ],
)
def test_a_wrong_configuration_is_told_without_its_values(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as caught:
        AlertSettings.model_validate(settings)
    assert SECRET not in str(caught.value)


def test_the_token_of_the_pages_is_not_printed() -> None:
    settings = WebSettings.model_validate({"token": SECRET})
    assert SECRET not in f"{settings!r} {settings} {settings.model_dump()}"
