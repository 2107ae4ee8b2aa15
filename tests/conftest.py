"""Fixtures that the whole suite shares: servers that take seconds to start run once a session."""

from collections.abc import Iterator

import pytest

from tests.kafka.broker import Broker, require_kafka, running_broker


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A Kafka broker. Tests use topics and groups of their own."""
    require_kafka()
    with running_broker(tmp_path_factory.mktemp("kafka")) as broker:
        yield broker
