"""Row 42: loopback unless the operator says otherwise."""

import pytest
from pydantic import ValidationError

from collector.receivers.settings import ReceiverSettings


def test_the_default_address_is_loopback() -> None:
    assert ReceiverSettings(port=4317).host == "127.0.0.1"


@pytest.mark.parametrize(
    ("settings", "exposed"),
    [
        ({}, False),
        ({"host": "localhost"}, False),
        ({"host": "::1"}, False),
        ({"host": "0.0.0.0"}, True),  # noqa: S104  what the test is about
        ({"host": "10.0.0.1"}, True),
        ({"host": "0.0.0.0", "token": "t"}, False),  # noqa: S104
        ({"host": "0.0.0.0", "token_env": "T"}, False),  # noqa: S104
    ],
)
def test_a_receiver_that_others_can_reach_without_proof_is_exposed(settings: dict[str, str], exposed: bool) -> None:
    assert ReceiverSettings(port=4317, **settings).is_exposed is exposed


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"tls_cert": "a.pem"}, "tls_key"),
        ({"tls_client_ca": "a.pem"}, "tls_cert"),
        ({"token": "a", "token_env": "B"}, "not both"),
        ({"prot": 1}, "prot"),
        ({"port": 70_000}, "port"),
    ],
)
def test_inconsistent_settings_are_refused_by_name(settings: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        ReceiverSettings(**({"port": 1} | settings))


def test_a_token_is_never_printed() -> None:
    assert "hunter2" not in repr(ReceiverSettings(port=1, token="hunter2"))
