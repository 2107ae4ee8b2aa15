"""Brokers that want TLS and a password."""

import asyncio
from typing import Any

import pytest

from tests.kafka.broker import PASSWORD, USER, Broker
from tests.kafka.member import member
from tests.kafka.topics import topics_on, unique
from tests.servers import until


@pytest.fixture
def secure(apache_kafka: Broker, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("KAFKA_PASSWORD", PASSWORD)
    return {"tls": True, "tls_ca": apache_kafka.ca, "sasl_username": USER, "sasl_password_env": "KAFKA_PASSWORD"}


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
async def test_a_member_with_the_password_reads_over_tls(kafka: Broker, secure: dict[str, Any], mechanism: str) -> None:
    async with topics_on(kafka.address) as topics:
        topic = await topics.create()
        await topics.send_traces(topic, [7])
        secure["sasl_mechanism"] = mechanism
        async with member(kafka.secure_address, topic, unique("group"), **secure) as one:
            await until(lambda: one.judged == [7], 20)


async def test_a_wrong_password_is_told_without_it_and_tried_again(
    kafka: Broker, secure: dict[str, Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("KAFKA_PASSWORD", "a-wrong-word")
    async with topics_on(kafka.address) as topics:
        topic = await topics.create()
        async with member(kafka.secure_address, topic, unique("group"), sasl_mechanism="PLAIN", **secure) as one:
            await until(lambda: "cannot be read" in caplog.text, 20)
            await asyncio.sleep(0.5)
            assert not one.receiver.connected
    assert "a-wrong-word" not in caplog.text
