"""`groundwatch demo`: nothing is staged but the answers of the sample application's model.

The monitor is the one that `groundwatch run` starts; spans travel through the real OTLP exporters, verdicts are read
from the monitor's own pages, and the alert arrives at a real webhook.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from pydantic import SecretStr

from alerts.notifiers.webhook import WebhookSettings
from alerts.settings import AlertSettings
from alerts.web import WebSettings
from collector.assembler import AssemblySettings
from collector.config import Config, ReceiversConfig
from collector.demo.app import ShopAssistant
from collector.demo.corpus import TURNS
from collector.demo.inbox import Inbox
from collector.demo.show import Screen
from collector.receivers.settings import ReceiverSettings
from collector.service import Service

PATIENCE_S = 60.0
POLL_S = 0.2


async def demo(*, keep: bool) -> int:
    """Tell the story; 0 where every trace was judged and the alert came. `keep`: stay until SIGINT or SIGTERM."""
    screen = Screen()
    async with _monitor(screen) as (service, inbox):
        pages = f"http://127.0.0.1:{service.web.port}"
        traces = await _send_traffic(screen, service)
        screen.heading("The monitor assembles each trace and judges it, without key or network")
        try:
            async with asyncio.timeout(PATIENCE_S):
                await _follow(screen, pages, traces)
                await _show_alert(screen, inbox, keep=keep)
        except TimeoutError:
            screen.line(f"nothing came for {PATIENCE_S:g} s: something is wrong with this installation", "bold red")
            return 1
        _next_steps(screen, pages, keep=keep)
        if keep:
            screen.line("The monitor keeps running, so that you can open these. Ctrl-C ends it.", "bold")
            await service.run()
    return 0


@asynccontextmanager
async def _monitor(screen: Screen) -> AsyncIterator[tuple[Service, Inbox]]:
    inbox = Inbox()
    config = _config(await inbox.start(), _free_port())
    service = Service(config)
    await service.start()
    screen.heading("groundwatch is up, on free ports")
    screen.rows(
        ("OTLP/gRPC", f"127.0.0.1:{service.receivers['grpc'].port}"),
        ("OTLP/HTTP", f"127.0.0.1:{service.receivers['http'].port}"),
        ("pages and metrics", f"http://127.0.0.1:{service.web.port}"),
    )
    try:
        yield service, inbox
    finally:
        await service.stop(2.0)
        await inbox.stop()


def _config(inbox: str, port: int) -> Config:
    """The defaults, on free ports, with a shorter grace so that nobody waits."""
    return Config(
        receivers=ReceiversConfig(grpc=ReceiverSettings(port=0), http=ReceiverSettings(port=0)),
        assembly=AssemblySettings(grace_s=0.5),
        web=WebSettings(port=port),
        alerts=AlertSettings(
            base_url=f"http://127.0.0.1:{port}",
            notifiers=(WebhookSettings(type="webhook", url=SecretStr(inbox)),),
        ),
    )


def _free_port() -> int:
    """Alerts link to the pages, so their port must be known before the monitor starts."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


async def _send_traffic(screen: Screen, service: Service) -> list[str]:
    grpc = ShopAssistant(GrpcExporter(f"127.0.0.1:{service.receivers['grpc'].port}", insecure=True))
    http = ShopAssistant(HttpExporter(f"http://127.0.0.1:{service.receivers['http'].port}/v1/traces"))
    screen.heading("A sample application answers customers; the OpenTelemetry SDK exports its spans")
    traces = []
    for number, turn in enumerate(TURNS):
        protocol, app = ("gRPC", grpc) if number % 2 == 0 else ("HTTP", http)
        screen.asked(turn, protocol)
        traces.append(await asyncio.to_thread(app.ask, turn))
    await asyncio.gather(*(asyncio.to_thread(app.close) for app in (grpc, http)))
    return traces


async def _follow(screen: Screen, pages: str, traces: list[str]) -> None:
    """Show each trace's verdict as it appears on the monitor's pages."""
    waiting = list(traces)
    async with aiohttp.ClientSession() as session:
        while waiting:
            for trace_id in list(waiting):
                if document := await _verdict(session, f"{pages}/traces/{trace_id}?format=json"):
                    waiting.remove(trace_id)
                    screen.verdict(document)
            await asyncio.sleep(POLL_S)


async def _verdict(session: aiohttp.ClientSession, url: str) -> dict[str, Any] | None:
    async with session.get(url) as response:
        document: dict[str, Any] = await response.json() if response.status == 200 else {}
    return document if document.get("assessments") else None


async def _show_alert(screen: Screen, inbox: Inbox, *, keep: bool) -> None:
    notification = await inbox.alerts.get()
    screen.alert(notification["signals"][0], link=keep)


def _next_steps(screen: Screen, pages: str, *, keep: bool) -> None:
    screen.heading("What to look at next")
    rows = [("make run", "the monitor for your own application: README.md, Connect an application")]
    if keep:
        rows = [
            (f"{pages}/traces", "every trace, why it was judged or not, and the evidence"),
            (f"{pages}/metrics", "what Prometheus scrapes: groundwatch_score, groundwatch_rule_firing ..."),
            *rows,
        ]
    screen.rows(*rows)
    screen.line("")
    if not keep:
        screen.line(
            "Run `groundwatch demo --keep` (make demo on a terminal) to open the pages with the evidence.", "bold"
        )
