"""Texts over HTTP."""

from urllib.parse import quote

import aiohttp
import orjson
from yarl import URL

from collector.chunk_stores.settings import HttpStoreSettings
from evaluators.errors import PermanentError, RetryableError

_MISSING = frozenset({404, 410})
_DOTS = frozenset({".", ".."})


class HttpStore:
    """GETs one URL per document. Redirects are not followed, and nothing is inflated."""

    def __init__(self, settings: HttpStoreSettings) -> None:
        self._settings = settings
        self._token = settings.read_token()
        self._session: aiohttp.ClientSession | None = None

    async def start(self) -> None:
        """Open the session; nothing is asked yet."""
        headers = {"Accept-Encoding": "identity"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._settings.concurrency),
            timeout=aiohttp.ClientTimeout(total=self._settings.timeout_s),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            headers=headers,
        )

    async def text(self, document_id: str) -> str | None:
        """See ChunkStore."""
        if self._session is None:
            raise RetryableError("the chunk store is not started")
        if document_id in _DOTS:
            # Quoting leaves dots alone, and a server would step out of the path that the operator named.
            return None
        url = URL(self._settings.url.replace("{id}", quote(document_id, safe="")), encoded=True)
        try:
            async with self._session.get(url, allow_redirects=False) as response:
                return await self._read(response)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise RetryableError(f"the chunk store does not answer: {type(error).__name__}") from error

    async def close(self) -> None:
        """See ChunkStore."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _read(self, response: aiohttp.ClientResponse) -> str | None:
        if response.status in _MISSING:
            return None
        if response.status != 200:
            raise RetryableError(f"the chunk store answers {response.status}")
        body = bytearray()
        async for part in response.content.iter_any():
            body += part
            if len(body) > self._settings.max_text_bytes:
                raise PermanentError("a document is larger than max_text_bytes")
        return self._text_in(bytes(body))

    def _text_in(self, body: bytes) -> str:
        try:
            if self._settings.json_path is None:
                return body.decode()
            found = _follow(orjson.loads(body), self._settings.json_path.split("."))
        except ValueError:
            raise PermanentError("a document is not what json_path expects") from None
        if not isinstance(found, str):
            raise PermanentError("json_path leads to no text")
        return found


def _follow(value: object, path: list[str]) -> object:
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
