"""JSON over HTTP to a judge's provider: bounded in time and bytes, every failure classified."""

import asyncio
import re
import ssl
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
import orjson
from yarl import URL

from evaluators.clock import Clock
from evaluators.evaluation import FailReason
from evaluators.judges.base import JudgeError

MAX_REPLY = 256 * 1024
"""Bytes of a response. A verdict has a few KB; an endless stream ends here."""

_MAX_ERROR = 500
"""Characters of an error that are searched: what comes later may be an echo of what we sent."""

_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class BadRequestError(Exception):
    """The provider refused what was sent (400, 422). `text` is its message, to be searched and never shown."""

    def __init__(self, status: int, error: dict[str, Any]) -> None:
        code = error.get("code") or error.get("type")
        self.code = code if isinstance(code, str) and _CODE.fullmatch(code) else ""
        self.text = f"{error.get('param', '')} {error.get('message', '')}"[:_MAX_ERROR]
        super().__init__(f"HTTP {status} {self.code}".strip())


class HttpEndpoint:
    """One URL. Redirects are refused, since only the configuration says where content goes (FAULTS 77).

    `timeout_s` bounds a whole exchange, so that neither silence nor a slow drip holds a slot. The connection pool has
    `max_connections`, opened when first used.
    """

    def __init__(
        self, url: str, headers: dict[str, str], clock: Clock, *, timeout_s: float, max_connections: int = 1_024
    ) -> None:
        self._url = URL(url)
        self._headers = {"Content-Type": "application/json", "Accept-Encoding": "identity", **headers}
        self._clock = clock
        self._timeout_s = timeout_s
        self._max_connections = max_connections
        self._session: aiohttp.ClientSession | None = None

    async def post(self, body: bytes) -> dict[str, Any]:
        """The decoded JSON object of a 200. Raises BadRequestError or JudgeError."""
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._post(body)
        except TimeoutError:
            raise JudgeError(FailReason.TIMEOUT, "no answer in time", retryable=True) from None
        except (aiohttp.ClientSSLError, ssl.SSLError):
            raise JudgeError(FailReason.UNAVAILABLE, "TLS failed: is the certificate trusted?") from None
        except (aiohttp.ClientError, OSError) as error:
            raise JudgeError(FailReason.UNAVAILABLE, type(error).__name__, retryable=True) from None

    async def _post(self, body: bytes) -> dict[str, Any]:
        async with self._opened().post(self._url, data=body, allow_redirects=False) as response:
            data = await _read(response)
            if response.status == 200:
                return _decode(data)
            raise self._refusal(response, data)

    async def aclose(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._max_connections, ttl_dns_cache=300),
                headers=self._headers,
                timeout=aiohttp.ClientTimeout(),  # none of its own: ours spans the exchange
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session

    def _refusal(self, response: aiohttp.ClientResponse, data: bytes) -> Exception:
        status = response.status
        if status in (400, 422):
            return BadRequestError(status, _error_object(data))
        if status in (401, 403):
            return JudgeError(FailReason.UNAUTHORIZED, f"HTTP {status}: is the key right?")
        if status == 429:
            wait = retry_after(response.headers.get("Retry-After"), self._clock.wall())
            return JudgeError(FailReason.RATE_LIMITED, "HTTP 429", retryable=True, retry_after=wait)
        if status in (408, 409, 425) or status >= 500:
            wait = retry_after(response.headers.get("Retry-After"), self._clock.wall())
            return JudgeError(FailReason.UNAVAILABLE, f"HTTP {status}", retryable=True, retry_after=wait)
        return JudgeError(FailReason.UNAVAILABLE, f"HTTP {status}: are base_url and model right?")


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or a date (RFC 9110, 10.2.3); None where it does not."""
    if value is None:
        return None
    digits = value.strip().removeprefix("-")
    if digits.isascii() and digits.isdigit():
        return float(value)
    try:
        return parsedate_to_datetime(value).timestamp() - now
    except (ValueError, OverflowError):
        return None


async def _read(response: aiohttp.ClientResponse) -> bytes:
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise JudgeError(FailReason.MALFORMED, "a compressed response, which was not asked for")
    data = bytearray()
    async for part in response.content.iter_any():
        data += part
        if len(data) > MAX_REPLY:
            response.close()
            raise JudgeError(FailReason.MALFORMED, f"a response of more than {MAX_REPLY} bytes")
    return bytes(data)


def _decode(data: bytes) -> dict[str, Any]:
    try:
        decoded = orjson.loads(data)
    except orjson.JSONDecodeError:
        decoded = None
    if not isinstance(decoded, dict):
        raise JudgeError(FailReason.MALFORMED, "the response is not a JSON object")
    return decoded


def _error_object(data: bytes) -> dict[str, Any]:
    """The provider's error: the object under `error`, as OpenAI has it, or else whatever came, as the message."""
    try:
        decoded = orjson.loads(data)
    except orjson.JSONDecodeError:
        decoded = None
    error = decoded.get("error") if isinstance(decoded, dict) else None
    return error if isinstance(error, dict) else {"message": data[:_MAX_ERROR].decode("utf-8", "replace")}
