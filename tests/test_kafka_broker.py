import pytest

from tests.kafka import standin
from tests.kafka.standin import StandIn, available_broker


@pytest.fixture(autouse=True)
def without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("GROUNDWATCH_REQUIRE_SERVERS", raising=False)


def test_without_java_a_broker_from_a_package_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standin, "_PACKAGE", object())
    assert available_broker() is StandIn


def test_without_java_and_package_a_skip_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standin, "_PACKAGE", None)
    with pytest.raises(pytest.skip.Exception, match="no Kafka broker: install Java 17 and Maven"):
        available_broker()


def test_where_servers_are_required_nothing_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standin, "_PACKAGE", object())
    monkeypatch.setenv("GROUNDWATCH_REQUIRE_SERVERS", "1")
    with pytest.raises(pytest.fail.Exception, match="no Kafka broker"):
        available_broker()
