"""The monitor's own HTTP server: /metrics, /healthz, /readyz, and the evidence under /traces."""

import asyncio
import base64
import binascii
import hmac
import logging
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Self

from aiohttp import web
from aiohttp.http import HttpProcessingError
from pydantic import Field, SecretStr, model_validator

from alerts.evidence.document import summary_document, trace_document
from alerts.evidence.layout import page, section
from alerts.evidence.markup import tag
from alerts.evidence.overview_page import overview_page
from alerts.evidence.trace_page import trace_page
from alerts.exposition import Metrics
from alerts.notifiers.http import check_secret, secret_of
from alerts.responses import html_response, json_response
from alerts.store import VerdictStore
from alerts.strict import Strict
from evaluators.errors import PermanentError

log = logging.getLogger(__name__)
_server_log = logging.getLogger(f"{__name__}.server")

NEEDED = frozenset({"started", "receivers"})
"""Components without which the monitor is not ready. Others are shown: a judge that is down is no reason to restart."""

MAX_LISTED = 1000
KEEPALIVE_S = 75.0

_TRACE_ID = re.compile(r"[0-9a-f]{32}")


class WebSettings(Strict):
    """`token`, or the variable named by `token_env`, protects /traces, which shows content: as bearer token for
    programs and as the password of any user for browsers."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 9464
    token: Annotated[SecretStr | None, Field(repr=False)] = None
    token_env: str | None = None

    @model_validator(mode="after")
    def _token_is_there(self) -> Self:
        check_secret("token", self.token, self.token_env)
        return self


class Web:
    """`health` tells of each component whether it works; names and states are shown to anybody."""

    def __init__(
        self,
        settings: WebSettings,
        metrics: Metrics,
        store: VerdictStore,
        health: Callable[[], Mapping[str, bool]],
        *,
        trace_url: str = "",
    ) -> None:
        self._settings = settings
        self._metrics = metrics
        self._store = store
        self._health = health
        self._trace_url = trace_url
        self._token = secret_of(settings.token, settings.token_env).encode()
        self._runner: web.AppRunner | None = None
        self._renderer = ThreadPoolExecutor(1, thread_name_prefix="scrape")
        self.port = 0

    async def start(self) -> None:
        """Listen. Raises PermanentError where the port is taken."""
        _server_log.addFilter(_is_ours)
        self._runner = web.AppRunner(
            self._application(), access_log=None, keepalive_timeout=KEEPALIVE_S, logger=_server_log
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._settings.host, self._settings.port, reuse_address=True)
        try:
            await site.start()
        except OSError as error:
            await self.stop()
            where = f"{self._settings.host}:{self._settings.port}"
            raise PermanentError(f"web.port: cannot listen on {where}: {error.strerror}") from error
        self.port = self._runner.addresses[0][1]
        if not self._token and not _is_local(self._settings.host):
            log.warning("/traces shows questions and answers to everybody on the network: set web.token_env")

    async def stop(self) -> None:
        """Stop listening; stopping twice, or before the start, is no error."""
        if self._runner:
            await self._runner.cleanup()
            self._runner = None
        self._renderer.shutdown(wait=False, cancel_futures=True)

    def _application(self) -> web.Application:
        app = web.Application(client_max_size=1024)
        app.router.add_get("/", self._root)
        app.router.add_get("/metrics", self._scrape)
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/readyz", self._readyz)
        app.router.add_get("/traces", self._overview)
        app.router.add_get("/traces/{trace_id}", self._trace)
        return app

    async def _root(self, request: web.Request) -> web.StreamResponse:
        raise web.HTTPFound("/traces")

    async def _scrape(self, request: web.Request) -> web.Response:
        self._metrics.refresh()
        accept = request.headers.get("Accept", "")
        loop = asyncio.get_running_loop()
        body, content_type = await loop.run_in_executor(self._renderer, self._metrics.render, accept)
        return web.Response(body=body, headers={"Content-Type": content_type})

    async def _healthz(self, request: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def _readyz(self, request: web.Request) -> web.Response:
        components = dict(self._health())
        ready = all(works for name, works in components.items() if name in NEEDED)
        return json_response({"ready": ready, "components": components}, status=200 if ready else 503)

    async def _overview(self, request: web.Request) -> web.Response:
        self._check_access(request)
        service = request.query.get("service") or None
        records = self._store.recent(_limit(request.query.get("limit", "")), service)
        if _wants_json(request):
            return json_response({"traces": [summary_document(record) for record in records]})
        return html_response(overview_page(records, service))

    async def _trace(self, request: web.Request) -> web.Response:
        self._check_access(request)
        trace_id = request.match_info["trace_id"]
        record = self._store.get(trace_id) if _TRACE_ID.fullmatch(trace_id) else None
        if record is None:
            return self._not_found(request)
        if _wants_json(request):
            return json_response(trace_document(record))
        url = self._trace_url.replace("{trace_id}", record.trace_id)
        return html_response(trace_page(record, url, request.query.get("judge", "")))

    def _not_found(self, request: web.Request) -> web.Response:
        text = "This trace was not seen, or so much came after it that its evidence is gone, or it had no RAG marker."
        if _wants_json(request):
            return json_response({"error": text}, status=404)
        return html_response(page("not found", None, section("Not found", tag("p", text))), status=404)

    def _check_access(self, request: web.Request) -> None:
        if not self._token and _is_local(self._settings.host) and not _is_local(request.url.host or ""):
            # A page from elsewhere can make its own name point here (DNS rebinding) and read what this browser may.
            raise web.HTTPForbidden(text="this address is not known here: use 127.0.0.1, or set web.token_env\n")
        if self._token and not hmac.compare_digest(_presented(request.headers.get("Authorization", "")), self._token):
            challenge = {"WWW-Authenticate": 'Basic realm="groundwatch", charset="UTF-8"'}
            raise web.HTTPUnauthorized(text="the token, please: as bearer token or as password\n", headers=challenge)


def _is_ours(record: logging.LogRecord) -> bool:
    """Whoever can reach the port can send garbage: that is no reason to write a traceback for each."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)


def _presented(authorization: str) -> bytes:
    """The token of a bearer or basic header, empty where there is none."""
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip().encode("utf-8", "replace")
    if scheme.lower() != "basic":
        return b""
    try:
        return base64.b64decode(value, validate=True).partition(b":")[2]
    except (binascii.Error, ValueError):
        return b""


def _limit(text: str) -> int:
    return min(int(text), MAX_LISTED) if text.isascii() and text.isdigit() and len(text) < 6 else 100


def _wants_json(request: web.Request) -> bool:
    chosen = request.query.get("format")
    accept = request.headers.get("Accept", "")
    return chosen == "json" or (chosen is None and "application/json" in accept and "text/html" not in accept)


def _is_local(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
