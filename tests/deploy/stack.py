"""The shipped stack, live: the monitor, Prometheus and Alertmanager with the files of deploy/, and an inbox."""

import asyncio
import random
import re
import sqlite3
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

from collector.demo.app import ShopAssistant
from collector.demo.corpus import DOCUMENTS
from deploy.compose.app import MODELS, next_turn
from tests.deploy.observability import alertmanager, inbox, prometheus
from tests.deploy.shipped import SERVICE, load
from tests.fakes import OpenAIStub, ReceiverStub, StubReply, completion
from tests.monitor import Monitor, monitor

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
async def stack(folder: Path) -> AsyncIterator[Stack]:
    """Start everything; the LLM judge is a stub server with a budget of 8 calls a minute."""
    log = folder / "inbox.log"
    with inbox(log) as address:
        async with (
            alertmanager(folder / "alertmanager", address) as alerts,
            OpenAIStub(verdict, keep=False) as llm,
            ReceiverStub() as backend,
        ):
            with monitor(folder, **_config(folder, alerts, llm.base_url, backend.url)) as running:
                targets = {"groundwatch": [running.web.removeprefix("http://")]}
                async with prometheus(folder / "prometheus", "prometheus.yml", targets, alerts) as url:
                    yield Stack(running, url, log)


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
    """Ask a service in a thread of their own, `pace` times a second.

    `wrong` is the share of wrong answers, `new` that of questions that nobody has asked before: no cache knows the
    verdict.
    """

    def __init__(
        self, endpoint: str, pace: float, service: str = SERVICE, wrong: float = 0.0, new: float = 0.0
    ) -> None:
        self.pace = pace
        self.wrong = wrong
        self._new = new
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
            turn = next_turn(self.wrong, chance)
            if chance.random() < self._new:
                turn = turn._replace(question=f"{turn.question} It is about order {chance.randrange(10**9)}.")
            self._app.ask(turn, chance.choice(MODELS))
            due = max(due + 1.0 / self.pace, time.monotonic() - 1.0)
            time.sleep(max(0.0, due - time.monotonic()))


def _config(folder: Path, alertmanager: str, llm: str, backend: str) -> dict[str, Any]:
    config = load("compose/groundwatch.yaml")
    # Loopback and free ports are the harness's own.
    del config["receivers"], config["web"]
    config["cache"]["path"] = str(folder / "verdicts.sqlite")
    config["assembly"] = {"grace_s": 0.5, "idle_s": 3.0, "max_traces": 400}
    config["alerts"]["notifiers"] = [{"type": "alertmanager", "urls": [alertmanager]}]
    del config["alerts"]["base_url"]
    judge = {"type": "openai", "base_url": llm, "model": "stub", "api_key_env": None}
    config["judges"] = [{}, {"judge": judge, "lane": {"budget": {"calls_per_minute": 8, "usd_per_day": 5}}}]
    config["prices"]["stub"] = {"input_usd": 2.5, "output_usd": 10}
    config["write_back"] = {"endpoint": backend}
    config["chunk_store"] = _chunk_store(folder / "documents.sqlite")
    return config


def _chunk_store(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("CREATE TABLE documents (id TEXT PRIMARY KEY, text TEXT)")
        store.executemany("INSERT INTO documents VALUES (?, ?)", [(one.id, one.text) for one in DOCUMENTS])
    return {"type": "sqlite", "path": str(path), "query": "SELECT text FROM documents WHERE id = :id"}


async def wait_for(condition: Any, deadline_s: float, what: str) -> None:
    """Until `condition()` is true, looked at twice a second in a thread."""
    give_up = time.monotonic() + deadline_s
    while not await asyncio.to_thread(condition):
        assert time.monotonic() < give_up, f"not within {deadline_s:g} s: {what}"
        await asyncio.sleep(0.5)
