"""OTLP/HTTP: protobuf and JSON, plain or gzip, on the standard path and on Langfuse's."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from aiohttp import hdrs, web

from collector.codec import Codec
from collector.envelope import MAX_SPANS
from collector.otlp_json import LOGS, TRACES, Signal, to_protobuf
from collector.receivers.base import Gate, Intake, LogPath, ReceiverMetrics, acknowledgement
from collector.receivers.bodies import Body, GzipBody, Pool, too_large
from collector.receivers.connections import Connection, Connections
from collector.receivers.settings import ReceiverSettings
from collector.receivers.tls import Certificate
from collector.spans import SpanBatch, SpanSink
from collector.status import Reason, Refusal, RefusedError
from evaluators.errors import PermanentError

PATHS = ("/v1/traces", "/api/public/otel/v1/traces")
LOGS_PATH = "/v1/logs"
MAX_PENDING_BYTES = 256 << 20
"""Bodies that are being read, all connections together; above it senders are asked to come back."""

INLINE_JSON_BYTES = 64 << 10
"""A larger JSON body is decoded in a thread: at 10 MB/s it would keep the event loop from all else."""

_LINGER_S = 2.0
_MAX_HEADER_BYTES = 8190
_MAX_HEADERS = 64


def _json_acknowledgement(batch: SpanBatch, rejected: str = "rejectedSpans") -> bytes:
    if not batch.rejected:
        return b"{}"
    told = {rejected: str(sum(batch.rejected.values())), "errorMessage": batch.message}
    return json.dumps({"partialSuccess": told}).encode()


def _protobuf_refusal(refusal: Refusal) -> bytes:
    return refusal.status().SerializeToString()


@dataclass(frozen=True, slots=True)
class _Form:
    """The two forms of OTLP/HTTP. An answer has the form of its request."""

    content_type: str
    acknowledge: Callable[[SpanBatch], bytes]
    refuse: Callable[[Refusal], bytes]


_PROTOBUF = _Form("application/x-protobuf", acknowledgement, _protobuf_refusal)
_JSON = _Form("application/json", _json_acknowledgement, Refusal.json)
_JSON_LOGS = replace(_JSON, acknowledge=partial(_json_acknowledgement, rejected="rejectedLogRecords"))
_BODIES: dict[str, type[Body]] = {"": Body, "identity": Body, "gzip": GzipBody}
_HEADERS = {
    Reason.WRONG_METHOD: ((hdrs.ALLOW, hdrs.METH_POST),),
    Reason.UNAUTHORIZED: ((hdrs.WWW_AUTHENTICATE, "Bearer"),),
}
# The rest of the body is not waited for.
_CLOSING = {Reason.TOO_LARGE, Reason.TIMEOUT}
_FORMS = {form.content_type: form for form in (_PROTOBUF, _JSON)}


class OtlpHttpReceiver:
    """Listens for OTLP/HTTP trace exports, and for log exports given a path for them. Others are answered 404."""

    def __init__(
        self,
        settings: ReceiverSettings,
        codec: Codec,
        sink: SpanSink,
        metrics: ReceiverMetrics,
        logs: LogPath | None = None,
    ) -> None:
        self._settings = settings
        self._intake = Intake("otlp_http", codec, sink, metrics)
        self._intakes = dict.fromkeys(PATHS, self._intake)
        if logs is not None:
            self._intakes[LOGS_PATH] = Intake("otlp_http", logs.codec, logs.sink, logs.metrics)
        self._gate = Gate(None)
        self._pool = Pool(MAX_PENDING_BYTES)
        self._connections = Connections(settings.max_connections)
        self._listener: asyncio.Server | None = None
        self._server: web.Server | None = None
        self._json_thread: ThreadPoolExecutor | None = None
        self.port = settings.port

    async def start(self) -> None:
        """Listen; see Receiver."""
        settings = self._settings
        self._gate = Gate(settings.read_token())
        certificate = Certificate(settings) if settings.tls_cert else None
        self._server = server = web.Server(self._handle)
        self._json_thread = ThreadPoolExecutor(1, "otlp-json")
        loop = asyncio.get_running_loop()

        def connect() -> Connection:
            if certificate:
                certificate.refresh()
            return self._connection(server, loop)

        try:
            self._listener = await loop.create_server(
                connect, settings.host, settings.port, ssl=certificate.context if certificate else None
            )
        except OSError as error:
            address = f"{settings.host}:{settings.port}"
            raise PermanentError(
                f"cannot listen for OTLP/HTTP on {address}: {error.strerror}: set receivers.http.port or host"
            ) from error
        self.port = self._listener.sockets[0].getsockname()[1]

    async def stop(self, grace_s: float) -> None:
        """Stop; see Receiver."""
        listener, self._listener = self._listener, None
        if listener is None or self._server is None or self._json_thread is None:
            return
        listener.close()
        await self._connections.drain(grace_s)
        await self._server.shutdown(0)
        self._json_thread.shutdown(wait=False)

    def _connection(self, server: web.Server, loop: asyncio.AbstractEventLoop) -> Connection:
        return Connection(
            server,
            connections=self._connections,
            header_timeout_s=self._settings.header_timeout_s,
            loop=loop,
            keepalive_timeout=self._settings.idle_timeout_s,
            lingering_time=_LINGER_S,
            max_line_size=_MAX_HEADER_BYTES,
            max_field_size=_MAX_HEADER_BYTES,
            max_headers=_MAX_HEADERS,
            auto_decompress=False,
            access_log=None,
        )

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        connection = cast("Connection", request.protocol)
        connection.begin()
        form = _FORMS.get(_media_type(request))
        try:
            return await self._accept(request, form)
        except ConnectionError:
            # The sender is gone and will send again; nothing of an incomplete body has been taken.
            return web.Response()
        except Exception as error:
            intake = self._intakes.get(request.path, self._intake)
            return self._refuse(error, form or _JSON, intake)
        finally:
            connection.end()

    async def _accept(self, request: web.BaseRequest, form: _Form | None) -> web.Response:
        self._check(request)
        if form is None:
            raise RefusedError(Reason.UNSUPPORTED_TYPE, f"Content-Type must be one of {', '.join(_FORMS)}")
        limit = self._settings.max_body_bytes
        if form is _JSON:
            limit = min(limit, self._settings.max_json_bytes)
        if (request.content_length or 0) > limit:
            raise too_large(limit)
        signal = LOGS if request.path == LOGS_PATH else TRACES
        intake = self._intakes[request.path]
        with _BODIES[_encoding(request)](limit, self._pool) as body:
            await self._read(request, body)
            batch = await self._decode(body.finish(), form, intake, signal)
        intake.deliver(batch)
        if batch.stored is not None:
            await batch.stored
        if form is _JSON and signal is LOGS:
            form = _JSON_LOGS
        return web.Response(body=form.acknowledge(batch), content_type=form.content_type)

    def _check(self, request: web.BaseRequest) -> None:
        if request.path not in self._intakes:
            raise RefusedError(Reason.NOT_FOUND, f"OTLP is taken on {', '.join(self._intakes)}; nothing else is")
        if request.method != hdrs.METH_POST:
            raise RefusedError(Reason.WRONG_METHOD, "OTLP is sent with POST")
        self._gate.check(request.headers.get(hdrs.AUTHORIZATION))

    async def _read(self, request: web.BaseRequest, body: Body) -> None:
        if request.headers.get(hdrs.EXPECT, "").lower() == "100-continue":
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            request.writer.output_size = 0
        try:
            async with asyncio.timeout(self._settings.body_timeout_s):
                async for chunk in request.content.iter_any():
                    body.add(chunk)
        except TimeoutError:
            wait = f"{self._settings.body_timeout_s:g} s"
            raise RefusedError(Reason.TIMEOUT, f"the body took longer than {wait}") from None
        except web.RequestPayloadError:
            raise RefusedError(Reason.DECODE_ERROR, "the body breaks the rules of HTTP") from None

    async def _decode(self, body: bytes, form: _Form, intake: Intake, signal: Signal) -> SpanBatch:
        if form is _PROTOBUF:
            return intake.decode(body)
        decode = partial(_decode_json, body, intake, signal)
        if len(body) <= INLINE_JSON_BYTES:
            return decode()
        return await asyncio.get_running_loop().run_in_executor(self._json_thread, decode)

    def _refuse(self, error: Exception, form: _Form, intake: Intake) -> web.Response:
        refusal = intake.refuse(error)
        response = web.Response(status=refusal.http_status, body=form.refuse(refusal), content_type=form.content_type)
        for name, value in _HEADERS.get(refusal.reason, ()):
            response.headers[name] = value
        if refusal.retry_after_s is not None:
            response.headers[hdrs.RETRY_AFTER] = str(refusal.retry_after_s)
        if refusal.reason in _CLOSING:
            response.force_close()
        return response


def _decode_json(body: bytes, intake: Intake, signal: Signal) -> SpanBatch:
    return intake.decode(to_protobuf(body, MAX_SPANS, signal) if body else body)


def _media_type(request: web.BaseRequest) -> str:
    """The content type without its parameters."""
    return request.headers.get(hdrs.CONTENT_TYPE, "").partition(";")[0].strip().lower()


def _encoding(request: web.BaseRequest) -> str:
    encoding = request.headers.get(hdrs.CONTENT_ENCODING, "").strip().lower()
    if encoding not in _BODIES:
        raise RefusedError(Reason.UNSUPPORTED_ENCODING, "Content-Encoding must be gzip or absent")
    return encoding
