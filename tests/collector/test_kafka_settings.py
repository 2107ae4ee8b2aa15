"""What is wrong with a Kafka configuration is said before anything starts."""

import subprocess
import sys

import pytest

from collector.check import check
from collector.config import parse
from evaluators.errors import PermanentError

ADDRESS = "bootstrap_servers: ['127.0.0.1:9092']"


def kafka(settings: str) -> str:
    return f"receivers: {{kafka: {{{settings}}}}}"


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("", "receivers.kafka.bootstrap_servers: is missing"),
        ("bootstrap_servers: ['http://broker:9092']", "receivers.kafka.bootstrap_servers"),
        (f"{ADDRESS}, topic: spans", "receivers.kafka.topic: unknown key"),
        (f"{ADDRESS}, topics: ['no spaces']", "receivers.kafka.topics"),
        (f"{ADDRESS}, tls_ca: /ca.pem", "tls_ca and tls_cert need tls: true"),
        (f"{ADDRESS}, sasl_mechanism: PLAIN", "sasl_mechanism needs sasl_username"),
        (f"{ADDRESS}, sasl_username: me", "need sasl_mechanism"),
        (f"{ADDRESS}, topics: [a], dead_letter_topic: a", "dead_letter_topic must not be one of topics"),
    ],
)
def test_a_mistake_is_named_with_its_path(settings: str, problem: str) -> None:
    with pytest.raises(PermanentError) as caught:
        parse(kafka(settings))
    assert problem in str(caught.value)


def test_a_password_comes_from_the_environment_and_its_absence_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KAFKA_PASSWORD", raising=False)
    sasl = "sasl_mechanism: SCRAM-SHA-512, sasl_username: me, sasl_password_env: KAFKA_PASSWORD"
    config = parse(kafka(f"{ADDRESS}, {sasl}"))
    with pytest.raises(PermanentError, match=r"receivers\.kafka: sasl_password_env.*KAFKA_PASSWORD is not set"):
        check(config)
    monkeypatch.setenv("KAFKA_PASSWORD", "hush")
    check(config)


def test_a_password_never_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    sasl = "sasl_mechanism: PLAIN, sasl_username: me, sasl_password: hush"
    config = parse(kafka(f"{ADDRESS}, {sasl}"))
    assert "hush" not in repr(config)
    with pytest.raises(PermanentError) as caught:
        parse(kafka(f"{ADDRESS}, {sasl}, sasl_password_env: X"))
    assert "hush" not in str(caught.value)


WITHOUT_AIOKAFKA = """
import sys
sys.modules["aiokafka"] = None
from collector.config import parse
from collector.check import check
from collector.service import Service
from evaluators.errors import PermanentError
check(parse("{}"))
Service(parse("{}"))
try:
    check(parse(sys.argv[1]))
except PermanentError as error:
    print(error)
"""


def test_114_without_its_libraries_only_a_configured_kafka_is_an_error() -> None:
    command = [sys.executable, "-c", WITHOUT_AIOKAFKA, kafka(ADDRESS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "receivers.kafka" in done.stdout
    assert "pip install 'groundwatch[kafka]'" in done.stdout
