"""Where the demo's alerts arrive: a real webhook receiver on loopback."""

import asyncio
from typing import Any

from aiohttp import web

MAX_BODY = 1 << 20


class Inbox:
    """Puts each notification that arrives into `alerts`."""

    def __init__(self) -> None:
        self.alerts: asyncio.Queue[dict[str, Any]] = asyncio.Queue(100)
        self._runner: web.AppRunner | None = None

    async def start(self) -> str:
        """Listen on a free port; returns the URL to notify."""
        app = web.Application(client_max_size=MAX_BODY)
        app.router.add_post("/alerts", self._take)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}/alerts"

    async def stop(self) -> None:
        """Stop listening."""
        if self._runner:
            await self._runner.cleanup()

    async def _take(self, request: web.Request) -> web.Response:
        await self.alerts.put(await request.json())
        return web.Response(status=204)
