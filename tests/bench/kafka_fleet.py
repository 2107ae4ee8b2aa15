"""Workers, a judge and traffic for the Kafka benches: processes as users start them, on one broker."""

import asyncio
import multiprocessing
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import psutil
import uvloop
import yaml
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.fakes import completion
from tests.servers import free_port

CHUNK = "Refunds are made within 30 days of the purchase, on presentation of the receipt and in the same currency."
RIGHT, WRONG = "Refunds are made within 30 days.", "Refunds are made within 90 days."
_FIRST_WORDS = re.compile(rf"Chunk c1:\\n<<<\w+\\n(.{{{len('Refunds are made within 30 days')}}})")
"""Of the first chunk, in the JSON of a request."""

_READY_S = 60.0


class Worker:
    """A `groundwatch run` in a role; it can be killed and started again, and its CPU time adds up over its lives."""

    def __init__(self, folder: Path, name: str, role: str, config: dict[str, Any]) -> None:
        self._port = free_port()
        self._file, self._log = folder / f"{name}.yaml", folder / f"{name}.log"
        config = config | {"web": {"port": self._port}, "log_level": "warning"}
        self._file.write_text(yaml.safe_dump(config))
        self._role = role
        self._process: subprocess.Popen[bytes] | None = None
        self._cpu_before = 0.0

    def start(self) -> None:
        """Start without waiting."""
        command = [sys.executable, "-m", "collector", "run", "--role", self._role, "-c", str(self._file)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)

    def wait_ready(self) -> None:
        """Wait until it reads."""
        give_up = time.monotonic() + _READY_S
        while not self.is_ready():
            if time.monotonic() > give_up:
                raise AssertionError(self._log.read_text()[-3000:])
            time.sleep(0.2)

    def is_ready(self) -> bool:
        """Whether it says so."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/readyz", timeout=2) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    def metrics(self, *names: str) -> list[float]:
        """The sums of some families' series, in one scrape: it costs what it measures."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/metrics", timeout=10) as response:
            lines = response.read().decode().splitlines()
        return [
            sum(float(line.split()[-1]) for line in lines if re.match(rf"groundwatch_{name}[ {{]", line))
            for name in names
        ]

    def stop(self, sent: signal.Signals = signal.SIGTERM) -> None:
        """Stop or kill."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(sent)
        process.wait(60)

    def cpu_s(self) -> float:
        """CPU seconds of this life, children's too."""
        assert self._process is not None
        family = [psutil.Process(self._process.pid)]
        family += family[0].children(recursive=True)
        return sum(sum(one.cpu_times()[:2]) for one in family)

    def rss(self) -> int:
        """Resident bytes now."""
        assert self._process is not None
        return int(psutil.Process(self._process.pid).memory_info().rss)


def judge_settings(base_url: str) -> dict[str, Any]:
    """One LLM judge."""
    llm = {"type": "openai", "name": "llm", "base_url": base_url, "model": "stub", "api_key_env": None}
    return {"judges": [{"judge": llm}]}


@contextmanager
def llm_stub(delay_s: float, chunks: int = 1, claims: int = 1) -> Iterator[str]:
    """A chat completions server in its own process, which finds so many claims about so many chunks.

    Yields its URL, for `/{worker}/v1` and `asked`.
    """
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(theirs, delay_s, chunks, claims), daemon=True
    )
    server.start()
    try:
        yield ours.recv()
    finally:
        server.terminate()
        server.join()


class Call(NamedTuple):
    """A question that a worker asked: when it came and when it was answered (epoch seconds)."""

    number: int
    worker: str
    at: float
    answered: float


def asked(base_url: str) -> list[Call]:
    """Every call so far."""
    with urllib.request.urlopen(f"{base_url}/calls", timeout=30) as response:
        return [Call(*one) for one in orjson.loads(response.read())]


def _serve(out: Connection, delay_s: float, chunks: int, claims: int) -> None:
    calls: list[Call] = []

    async def answer(request: web.Request) -> web.Response:
        prompt = (await request.read()).decode()
        order = re.search(r"order (\d+)", prompt)
        number = int(order[1]) if order else -1
        at = time.time()
        await asyncio.sleep(delay_s)
        calls.append(Call(number, request.match_info["worker"], at, time.time()))
        return web.Response(body=_completion(prompt, chunks, claims), content_type="application/json")

    async def tell(_: web.Request) -> web.Response:
        return web.Response(body=orjson.dumps([tuple(call) for call in calls]))

    async def serve() -> None:
        app = web.Application(client_max_size=1 << 20)
        app.router.add_get("/calls", tell)
        app.router.add_post("/{worker}/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        out.send(f"http://127.0.0.1:{runner.addresses[0][1]}")
        await asyncio.Event().wait()

    uvloop.run(serve())


def _completion(prompt: str, chunks: int, claims: int) -> bytes:
    wrong, quote = WRONG in prompt, re.search(_FIRST_WORDS, prompt)
    claim = {
        "claim": WRONG if wrong else RIGHT,
        "support": "contradicted" if wrong else "supported",
        "chunk": "c1",
        "quote": quote[1] if quote else None,
        "conflict": {"kind": "number", "claimed": "90 days", "found": "30 days"} if wrong else None,
    }
    relevance = [{"chunk": f"c{number}", "score": 1.0} for number in range(1, chunks + 1)]
    verdict = {"claims": [claim] * claims, "relevance": relevance, "answer": {"relevancy": 1.0, "abstained": False}}
    return completion(orjson.dumps(verdict).decode()).body


def trace_id(number: int) -> bytes:
    """Ids of the bench's traces."""
    return b"bench\0\0\0" + number.to_bytes(8, "big")


def half_of(number: int, service: str, *, second: bool, wrong: bool = False) -> bytes:
    """The first two or the last three spans of a RAG trace of five, as a request."""
    question = f"Within how many days can order {number} be returned?"
    retrieval = {"input.value": question, "retrieval.documents.0.document.content": f"{CHUNK} Order {number}."}
    answer = WRONG if wrong else RIGHT
    first_part = ((2, "EMBEDDING", {"embedding.text": question}), (3, "RETRIEVER", retrieval))
    second_part = (
        (4, "LLM", {"llm.model_name": "m", "llm.output_messages.0.message.content": answer}),
        (5, "TOOL", {"tool.name": "clock"}),
        (1, "CHAIN", {"input.value": question, "output.value": answer}),
    )
    request = ExportTraceServiceRequest()
    resource = request.resource_spans.add()
    resource.resource.attributes.add(key="service.name").value.string_value = service
    spans = resource.scope_spans.add().spans
    for span_id, kind, attributes in second_part if second else first_part:
        span = spans.add(name=kind, start_time_unix_nano=1, end_time_unix_nano=2)
        span.trace_id, span.span_id = trace_id(number), span_id.to_bytes(8, "big")
        span.parent_span_id = b"" if span_id == 1 else (1).to_bytes(8, "big")
        for key, value in {"openinference.span.kind": kind, **attributes}.items():
            span.attributes.add(key=key).value.string_value = value
    return request.SerializeToString()
