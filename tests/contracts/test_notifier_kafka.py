"""The notifier's contract, as far as it concerns a topic, against a real broker."""

import logging

import orjson
import pytest
from pydantic import ValidationError

from alerts.notifiers.base import Notifier
from alerts.notifiers.kafka import KafkaSettings
from evaluators.errors import PermanentError, RetryableError
from tests.contracts.test_notifier import signal
from tests.fakes import FakeClock
from tests.kafka.broker import Broker
from tests.kafka.topics import topics_on, unique
from tests.servers import free_port


def notifier(address: str, topic: str = "signals", **more: object) -> Notifier:
    settings = {"type": "kafka", "bootstrap_servers": [address], "topic": topic, "timeout": 10.0, **more}
    return KafkaSettings.model_validate(settings).build(FakeClock())[0]


async def test_each_signal_is_a_message_keyed_by_its_fingerprint(kafka: Broker) -> None:
    topic = unique("signals")
    one = notifier(kafka.address, topic)
    async with topics_on(kafka.address) as topics:
        await topics.make(topic)
        await one.send([signal("a"), signal("b \ud800\x00")])
        await one.send([signal("a", count=2)])
        messages = await topics.read(topic, 3)
        await one.aclose()
    documents = [orjson.loads(message.value) for message in messages]
    assert {message.key.decode() for message in messages} == {one["fingerprint"] for one in documents}
    assert len({message.key for message in messages}) == 2
    assert sorted(one["service"][0] for one in documents) == ["a", "a", "b"]
    assert dict(messages[0].headers)["schema"] == b"groundwatch.signal/1"


async def test_a_broker_that_is_not_there_is_retryable_and_tells_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    one = notifier(
        f"127.0.0.1:{free_port()}", sasl_mechanism="PLAIN", sasl_username="gw", sasl_password="s3cret-password"
    )
    with caplog.at_level(logging.DEBUG), pytest.raises(RetryableError, match="kafka: KafkaConnectionError") as caught:
        await one.send([signal()])
    await one.aclose()
    assert "s3cret" not in f"{caught.value!r} {caplog.text} {one!r}"


def test_certificates_that_are_not_there_are_told_at_start() -> None:
    with pytest.raises(PermanentError, match="tls_ca cannot be used: No such file or directory"):
        notifier("h:9092", tls=True, tls_ca="/nowhere/ca.pem")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"topic": "no spaces please"}, "topic"),
        ({"bootstrap_servers": ["user:pw@host:9092"]}, "bootstrap_servers"),
        ({"sasl_username": "gw"}, "belong together"),
        ({"tls_ca": "/ca.pem"}, "tls_ca needs tls"),
    ],
)
def test_wrong_settings_are_refused(more: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        KafkaSettings.model_validate({"type": "kafka", "bootstrap_servers": ["h:9092"], **more})
