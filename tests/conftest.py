"""Fixtures that the whole suite shares: servers that take seconds to start run once a session."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.kafka.broker import INSTALL, Broker, running_broker
from tests.kafka.standin import StandIn, available_broker


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A Kafka broker, Apache Kafka or what stands in for it. Tests use topics and groups of their own."""
    kind = available_broker()
    with running_broker(tmp_path_factory.mktemp("kafka"), kind) as broker:
        yield broker


@pytest.fixture(scope="session")
def apache_kafka(kafka: Broker) -> Broker:
    """The broker, for tests that the stand-in cannot pass; its class says why."""
    if isinstance(kafka, StandIn):
        pytest.skip(f"not on the stand-in for Apache Kafka: {INSTALL}")
    return kafka


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """One line of the summary for each reason to skip, however many tests have it."""
    report = yield
    if isinstance(report.longrepr, tuple):
        _, _, reason = report.longrepr
        report.longrepr = (str(Path(__file__).parent), None, reason)  # type: ignore[assignment]
    return report
