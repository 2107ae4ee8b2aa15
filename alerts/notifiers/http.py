"""One POST: bounded in time, no redirects, every answer classified, no secret in any message."""

import os
from collections.abc import Callable, Mapping
from typing import Annotated, Self
from urllib.parse import urlsplit

import aiohttp
from pydantic import Field, SecretStr, model_validator
from yarl import URL

from alerts.strict import Strict
from evaluators.clock import Clock
from evaluators.duration import PositiveDuration
from evaluators.errors import GroundwatchError, PermanentError, RetryableError
from evaluators.judges.http import retry_after

_AGAIN = frozenset({408, 425, 429})


def masked(url: str) -> str:
    """Scheme, host and port: user, path and query of a webhook often are its secret."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}/***"


def classify(status: int, wait: float | None) -> GroundwatchError | None:
    """None for an accepted notification; 408, 425, 429 and 5xx may pass, everything else is final."""
    if 200 <= status < 300:
        return None
    if status in _AGAIN or status >= 500:
        return RetryableError(f"HTTP {status}", retry_after=wait)
    return PermanentError(f"HTTP {status}, redirects are not followed" if 300 <= status < 400 else f"HTTP {status}")


class HttpSettings(Strict):
    """What all receivers over HTTP share. `token` or the variable named by `token_env` goes along as bearer token."""

    timeout: PositiveDuration = 10.0
    token: Annotated[SecretStr | None, Field(repr=False)] = None
    token_env: str | None = None

    @model_validator(mode="after")
    def _token_is_there(self) -> Self:
        check_secret("token", self.token, self.token_env)
        return self

    def check_user(self, url: SecretStr) -> None:
        """Raises ValueError where the URL holds a user although there is a token: one request has one of the two."""
        if urlsplit(url.get_secret_value()).username and (self.token or self.token_env):
            raise ValueError("give a token, or user and password in the URL, not both")

    @property
    def headers(self) -> dict[str, str]:
        """The credentials."""
        token = secret_of(self.token, self.token_env)
        return {"Authorization": f"Bearer {token}"} if token else {}


def check_secret(field: str, value: SecretStr | None, variable: str | None) -> None:
    """Raises ValueError where a secret is given twice, or by a variable that is not set."""
    if value is not None and variable is not None:
        raise ValueError(f"give {field} or {field}_env, not both")
    if variable is not None and not os.environ.get(variable):
        raise ValueError(f"{field}_env: the environment variable {variable} is not set")


def secret_of(value: SecretStr | None, variable: str | None) -> str:
    """The secret, empty where none is configured."""
    return value.get_secret_value() if value else os.environ.get(variable or "", "")


ANSWER_LIMIT = 4096
"""Bytes that are read of an answer, where its body says what its status does not."""

ReadAnswer = Callable[[bytes], GroundwatchError | None]
"""What the body of an answer with a good status says; None where it is well. It quotes nothing that was sent."""


class HttpTarget:
    """A URL to post to. The session is opened when first used."""

    def __init__(
        self,
        url: str,
        clock: Clock,
        *,
        timeout_s: float,
        headers: Mapping[str, str],
        read_answer: ReadAnswer | None = None,
    ) -> None:
        self._read_answer = read_answer
        self._url = URL(url)
        self._shown = masked(url)
        self._clock = clock
        self._timeout = aiohttp.ClientTimeout(total=timeout_s)
        self._headers = {"Content-Type": "application/json", "User-Agent": "groundwatch", **headers}
        self._session: aiohttp.ClientSession | None = None

    async def post(self, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Returns once the receiver accepted. Raises PermanentError or RetryableError."""
        try:
            failure = await self._exchange(body, headers or {})
        except TimeoutError:
            failure = RetryableError("no answer in time")
        except (aiohttp.ClientError, OSError) as error:
            # Its text may hold the whole URL.
            failure = RetryableError(type(error).__name__)
        if isinstance(failure, RetryableError):
            raise RetryableError(f"{self._shown}: {failure}", retry_after=failure.retry_after)
        if failure:
            raise PermanentError(f"{self._shown}: {failure}")

    async def aclose(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _exchange(self, body: bytes, headers: Mapping[str, str]) -> GroundwatchError | None:
        async with self._opened().post(self._url, data=body, headers=headers, allow_redirects=False) as response:
            wait = retry_after(response.headers.get("Retry-After"), self._clock.wall())
            failure = classify(response.status, wait)
            if failure or self._read_answer is None:
                # The body is not read: it may be endless, and may echo what was sent. The status line says it all.
                return failure
            return self._read_answer(await response.content.read(ANSWER_LIMIT))

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers=self._headers,
                timeout=self._timeout,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session
