"""The shipped stack, live: the monitor, Prometheus and Alertmanager with the files of deploy/, and an inbox.

What differs from the files: addresses, the paces of scraping and evaluating (1 s) and of grouping (1 s). Rules, routes
and inhibitions are the shipped ones.
"""

import asyncio
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import yaml
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

from collector.demo.app import ShopAssistant
from deploy.compose.app import next_turn
from tests.deploy.shipped import DEPLOY, SERVICE, load
from tests.fakes import OpenAIStub, StubReply, completion
from tests.monitor import Monitor, monitor
from tests.servers import _running, free_port

_CHUNK = re.compile(r"^Chunk (c\d+).*:\n<<<\w+\n(.*)$", re.MULTILINE)
_ANSWER = re.compile(r"^The answer to judge:\n<<<\w+\n(.*)$", re.MULTILINE)


class Stack(NamedTuple):
    """A running stack. `inbox` is what a person got to read so far."""

    monitor: Monitor
    prometheus: str
    inbox: Path

    def received(self) -> str:
        """Every notification that arrived."""
        return self.inbox.read_text()


@asynccontextmanager
async def stack(folder: Path, *others: str) -> AsyncIterator[Stack]:
    """Start everything; the LLM judge is a stub server with a budget of 8 calls a minute.

    `others` are further targets ("host:port") for Prometheus.
    """
    with _inbox(folder / "inbox.log") as inbox:
        async with (
            _alertmanager(folder / "alertmanager", inbox) as alertmanager,
            OpenAIStub(verdict, keep=False) as llm,
        ):
            with monitor(folder, **_config(folder, alertmanager, llm.base_url)) as running:
                targets = [running.web.removeprefix("http://"), *others]
                async with _prometheus(folder / "prometheus", targets, alertmanager) as url:
                    yield Stack(running, url, folder / "inbox.log")


def verdict(request: dict[str, Any]) -> StubReply:
    """What a careful model would say of the shop's answers."""
    text = request["messages"][1]["content"]
    chunks, answer = _CHUNK.findall(text), _ANSWER.findall(text)[0]
    chunk, passage = next((one for one in chunks if "30 days" in one[1]), chunks[0])
    wrong = "90 days" in answer
    claim = {
        "claim": answer,
        "support": "contradicted" if wrong else "supported",
        "chunk": chunk,
        "quote": "within 30 days of purchase" if wrong else passage[:40],
        "conflict": {"kind": "number", "claimed": "90 days", "found": "30 days"} if wrong else None,
    }
    relevance = [{"chunk": name, "score": 1.0 if name == chunk else 0.1} for name, _ in chunks]
    fit = {"relevancy": 1.0, "abstained": "don't know" in answer}
    return completion(orjson.dumps({"claims": [claim], "relevance": relevance, "answer": fit}).decode())


class Customers:
    """Ask a service in a thread of their own, `pace` times a second; `wrong` is the share of wrong answers."""

    def __init__(self, endpoint: str, pace: float, service: str = SERVICE, wrong: float = 0.0) -> None:
        self.pace = pace
        self.wrong = wrong
        self._app = ShopAssistant(OTLPSpanExporter(endpoint, insecure=True), service)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def __enter__(self) -> "Customers":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join()
        self._app.close()

    def _ask(self) -> None:
        chance, due = random.Random(7), time.monotonic()
        while not self._closing.is_set():
            self._app.ask(next_turn(self.wrong, chance))
            due = max(due + 1.0 / self.pace, time.monotonic() - 1.0)
            time.sleep(max(0.0, due - time.monotonic()))


def _config(folder: Path, alertmanager: str, llm: str) -> dict[str, Any]:
    config = load("compose/groundwatch.yaml")
    # Loopback and free ports are the harness's own.
    del config["receivers"], config["web"]
    config["cache"]["path"] = str(folder / "verdicts.sqlite")
    config["assembly"] = {"grace_s": 0.5, "idle_s": 3.0, "max_traces": 400}
    config["alerts"]["notifiers"] = [{"type": "alertmanager", "urls": [alertmanager]}]
    del config["alerts"]["base_url"]
    judge = {"type": "openai", "base_url": llm, "model": "stub", "api_key_env": None}
    config["judges"] = [{}, {"judge": judge, "lane": {"budget": {"calls_per_minute": 8}}}]
    return config


@asynccontextmanager
async def _prometheus(folder: Path, targets: list[str], alertmanager: str) -> AsyncIterator[str]:
    config = load("prometheus/prometheus.yml")
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(DEPLOY / "prometheus" / pattern) for pattern in config["rule_files"]]
    config["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"] = [alertmanager.removeprefix("http://")]
    config["scrape_configs"] = [job for job in config["scrape_configs"] if job["job_name"] == "groundwatch"]
    config["scrape_configs"][0]["static_configs"][0]["targets"] = targets
    file, port = _write(folder, config), free_port()
    command = [
        "prometheus",
        f"--config.file={file}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--enable-feature=exemplar-storage",
    ]
    async with _running(command, folder, f"http://127.0.0.1:{port}/-/ready"):
        yield f"http://127.0.0.1:{port}"


@asynccontextmanager
async def _alertmanager(folder: Path, inbox: str) -> AsyncIterator[str]:
    config = load("alertmanager/alertmanager.yml")
    for route in (config["route"], *config["route"]["routes"]):
        route |= {"group_wait": "1s", "group_interval": "1s"}
    for receiver in config["receivers"]:
        for webhook in receiver.get("webhook_configs", []):
            webhook["url"] = f"{inbox}/{receiver['name']}"
    file, port = _write(folder, config), free_port()
    command = [
        "prometheus-alertmanager",
        f"--config.file={file}",
        f"--storage.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    ]
    async with _running(command, folder, f"http://127.0.0.1:{port}/-/ready"):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _inbox(log: Path) -> Iterator[str]:
    port = free_port()
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, str(DEPLOY / "compose/inbox.py"), str(port)], stdout=output)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def _write(folder: Path, config: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "config.yml"
    path.write_text(yaml.safe_dump(config))
    return path


async def wait_for(condition: Any, deadline_s: float, what: str) -> None:
    """Until `condition()` is true, looked at twice a second in a thread."""
    give_up = time.monotonic() + deadline_s
    while not await asyncio.to_thread(condition):
        assert time.monotonic() < give_up, f"not within {deadline_s:g} s: {what}"
        await asyncio.sleep(0.5)
