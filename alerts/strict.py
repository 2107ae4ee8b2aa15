"""The base of all settings: an unknown key is an error, a wrong type is not bent, a value is not printed."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, SecretStr


class Strict(BaseModel):
    """Settings of one thing."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, hide_input_in_errors=True, validate_by_name=True, allow_inf_nan=False
    )


def _check_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("is not a URL: write http://host:port or https://host")
    return url


def _check_secret_url(url: SecretStr) -> SecretStr:
    _check_url(url.get_secret_value())
    return url


Url = Annotated[str, AfterValidator(_check_url)]
"""An http(s) address without secrets in it."""

SecretUrl = Annotated[SecretStr, AfterValidator(_check_secret_url)]
"""An http(s) address that may hold a token in its path, query or user part."""
