"""HTTP connections: bounded in number, and none may keep the server waiting for the headers of a request."""

import asyncio
from typing import Any

from aiohttp import web

from collector.status import Reason, Refusal

_SERVER_ERROR = 500
_TIMED_OUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Connections:
    """The open connections of a server. At the limit the one that has been idle for longest makes room."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._idle: dict[Connection, None] = {}
        self._busy: set[Connection] = set()
        self._drained = asyncio.Event()

    def __len__(self) -> int:
        return len(self._idle) + len(self._busy)

    def opened(self, connection: "Connection") -> None:
        """Take a new connection in, or close it where all others are busy."""
        if len(self) >= self._limit:
            oldest = next(iter(self._idle), None)
            (oldest or connection).force_close()
            if oldest is None:
                return
            del self._idle[oldest]
        self._idle[connection] = None

    def busy(self, connection: "Connection") -> None:
        """A request has begun."""
        self._idle.pop(connection, None)
        self._busy.add(connection)

    def idle(self, connection: "Connection") -> None:
        """The request has been answered."""
        if connection in self._busy:
            self._busy.discard(connection)
            self._idle[connection] = None
        self._tell_if_drained()

    def closed(self, connection: "Connection") -> None:
        """The connection is no more."""
        self._idle.pop(connection, None)
        self._busy.discard(connection)
        self._tell_if_drained()

    async def drain(self, grace_s: float) -> None:
        """Close idle connections and wait up to `grace_s` seconds for the busy ones."""
        for connection in list(self._idle):
            connection.force_close()
        self._drained.clear()
        if self._busy:
            try:
                await asyncio.wait_for(self._drained.wait(), grace_s)
            except TimeoutError:
                return

    def _tell_if_drained(self) -> None:
        if not self._busy:
            self._drained.set()


class Connection(web.RequestHandler):
    """One connection. aiohttp limits the time between requests; this adds the time that headers may take."""

    __slots__ = ("_connections", "_header_timeout_s", "_header_timer", "_is_busy")

    def __init__(
        self, server: web.Server, *, connections: Connections, header_timeout_s: float, **options: Any
    ) -> None:
        super().__init__(server, **options)
        self._connections = connections
        self._header_timeout_s = header_timeout_s
        self._header_timer: asyncio.TimerHandle | None = None
        self._is_busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._connections.opened(self)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._stop_timer()
        self._connections.closed(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_busy and self._header_timer is None:
            loop = asyncio.get_running_loop()
            self._header_timer = loop.call_later(self._header_timeout_s, self._headers_are_late)

    def begin(self) -> None:
        """The headers of a request have arrived."""
        self._is_busy = True
        self._stop_timer()
        self._connections.busy(self)

    def end(self) -> None:
        """The request has been answered."""
        self._is_busy = False
        self._connections.idle(self)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Refuse what is no HTTP; aiohttp would quote the sender's bytes in its answer."""
        self.log_exception("not HTTP", exc_info=exc)
        refusal = Refusal(
            Reason.DECODE_ERROR if status < _SERVER_ERROR else Reason.INTERNAL, "the request is not valid HTTP"
        )
        response = web.Response(status=status, body=refusal.json(), content_type="application/json")
        response.force_close()
        return response

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """Whoever can reach the port can send garbage: that is no reason to write a traceback for each."""
        self.logger.debug(*args, **kw)

    def _stop_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _headers_are_late(self) -> None:
        if self.transport is not None:
            self.transport.write(_TIMED_OUT)
        self.force_close()
