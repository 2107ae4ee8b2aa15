"""What the settings of judges have in common."""

import ipaddress
import os
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, PositiveInt
from yarl import URL

from evaluators.egress import EgressSettings
from evaluators.errors import PermanentError
from evaluators.facets import Facet

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]
Timeout = Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)]
KeyEnv = Annotated[str, Field(min_length=1)]


def _plain_url(value: str) -> str:
    try:
        url = URL(value)
    except ValueError:
        raise ValueError("this is not a URL") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError("it must begin with http:// or https:// and a host")
    if url.user or url.password or url.query_string or url.fragment:
        raise ValueError("it holds no user, password, query or fragment: keys belong into api_key_env")
    return value.rstrip("/")


PlainUrl = Annotated[str, AfterValidator(_plain_url)]
"""An address that may be shown: nothing secret is in it."""


class ServerSettings(EgressSettings):
    """A model behind a server.

    `base_url` ends where the API's own path begins. `api_key_env` names the environment variable that holds the key;
    null for a server that wants none. The price of `model` is looked up in the configuration's `prices`.
    """

    name: Name
    model: str = Field(min_length=1, max_length=128)
    base_url: PlainUrl
    api_key_env: KeyEnv | None
    timeout_s: Timeout

    @property
    def remote(self) -> bool:
        """Whether content leaves this machine."""
        return not is_loopback(self.base_url)

    @property
    def server(self) -> str:
        """Host and port: part of the judge's identity."""
        return URL(self.base_url).authority


class LlmSettings(ServerSettings):
    """What every judge behind a language model takes.

    `plan`: all facets in one call (cheapest), or one call each. A context over `max_input_tokens` is cut per chunk.
    `rubric` are yes/no criteria of your own.
    """

    timeout_s: Timeout = 30.0
    max_input_tokens: PositiveInt = 16_000
    max_output_tokens: PositiveInt = 2_000
    plan: Literal["combined", "separate"] = "combined"
    rubric: tuple[Annotated[str, Field(min_length=1, max_length=500)], ...] = Field((), max_length=20)

    @property
    def facets(self) -> frozenset[Facet]:
        """What a judge with these settings answers."""
        return frozenset(Facet) - {Facet.GRADE} - (frozenset() if self.rubric else {Facet.RUBRIC})


def read_key(judge: str, variable: str | None) -> str | None:
    """The key in the environment, None where none is wanted. Raises PermanentError where it is missing."""
    if variable is None:
        return None
    if key := os.environ.get(variable, "").strip():
        return key
    raise PermanentError(
        f"judge {judge!r}: api_key_env names the environment variable {variable}, which is not set: set it to the key, "
        "or set api_key_env to null for a server without keys"
    )


def bearer(judge: str, variable: str | None) -> dict[str, str]:
    """The header with the key in the environment, none where none is wanted. Raises PermanentError as `read_key`."""
    key = read_key(judge, variable)
    return {} if key is None else {"Authorization": f"Bearer {key}"}


def is_loopback(url: str) -> bool:
    """Whether content that goes to `url` stays on this machine."""
    host = URL(url).host or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
