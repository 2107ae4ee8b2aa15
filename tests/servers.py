"""Real servers for tests: Prometheus and Alertmanager as Debian packages them, on free ports.

Where one is not installed its tests are skipped with one line; GROUNDWATCH_REQUIRE_SERVERS=1 makes that a failure.
"""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

_START_S = 30.0
_PACKAGES = {
    "prometheus": "prometheus",
    "promtool": "prometheus",
    "prometheus-alertmanager": "prometheus-alertmanager",
    "amtool": "prometheus-alertmanager",
    "redis-server": "redis-server",
}


def require(*programs: str) -> None:
    """Skip the test, or fail it where servers are required, unless all `programs` are installed."""
    missing = sorted({_PACKAGES.get(program, program) for program in programs if not shutil.which(program)})
    if not missing:
        return
    message = f"not installed: {', '.join(missing)} (apt-get install {' '.join(missing)})"
    if os.environ.get("GROUNDWATCH_REQUIRE_SERVERS") == "1":
        pytest.fail(message)
    pytest.skip(message)


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


async def until(condition: Callable[[], Any], deadline_s: float = 10.0, every_s: float = 0.05) -> Any:
    """The first true result of `condition`, awaited if need be. Fails the test at the deadline."""
    give_up = asyncio.get_running_loop().time() + deadline_s
    while True:
        result = condition()
        if asyncio.iscoroutine(result):
            result = await result
        if result:
            return result
        if asyncio.get_running_loop().time() > give_up:
            pytest.fail(f"not within {deadline_s:g} s: {getattr(condition, '__name__', condition)}")
        await asyncio.sleep(every_s)


async def get_json(url: str, **parameters: str) -> Any:
    """The decoded JSON of a GET, None while the server does not answer."""
    try:
        async with aiohttp.ClientSession() as session, session.get(url, params=parameters) as response:
            return await response.json() if response.status == 200 else None
    except aiohttp.ClientError:
        return None


@asynccontextmanager
async def alertmanager(folder: Path, *, port: int | None = None, webhook: str | None = None) -> AsyncIterator[str]:
    """A running Alertmanager; yields its URL. It forwards alerts to `webhook` within a second."""
    require("prometheus-alertmanager")
    receiver: dict[str, Any] = {"name": "all"}
    if webhook:
        receiver["webhook_configs"] = [{"url": webhook, "send_resolved": True}]
    route = {"receiver": "all", "group_wait": "1s", "group_interval": "1s", "repeat_interval": "1h"}
    config = _write(folder, "alertmanager.yml", {"route": route, "receivers": [receiver]})
    port = port or free_port()
    command = [
        "prometheus-alertmanager",
        f"--config.file={config}",
        f"--storage.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    ]
    async with running(command, folder, f"http://127.0.0.1:{port}/-/ready"):
        yield f"http://127.0.0.1:{port}"


@asynccontextmanager
async def prometheus(folder: Path, *targets: str, interval: str = "500ms") -> AsyncIterator[str]:
    """A running Prometheus that scrapes `targets` ("host:port"); yields its URL."""
    require("prometheus")
    scrape = {"job_name": "groundwatch", "static_configs": [{"targets": list(targets)}]}
    config = _write(folder, "prometheus.yml", {"global": {"scrape_interval": interval}, "scrape_configs": [scrape]})
    port = free_port()
    command = [
        "prometheus",
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--enable-feature=exemplar-storage",
    ]
    async with running(command, folder, f"http://127.0.0.1:{port}/-/ready"):
        yield f"http://127.0.0.1:{port}"


async def promtool(*arguments: str, stdin: bytes = b"") -> tuple[int, str]:
    """Exit status and output of promtool."""
    require("promtool")
    process = await asyncio.create_subprocess_exec(
        "promtool",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate(stdin)
    return process.returncode or 0, output.decode()


def _write(folder: Path, name: str, document: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(yaml.safe_dump(document))
    return path


@asynccontextmanager
async def running(command: Sequence[str], folder: Path, ready_url: str) -> AsyncIterator[None]:
    """A server that is started, ready once the address answers, and ended; what it says is in `folder`/log."""
    with (folder / "log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log)
    try:
        await until(lambda: _is_ready(process, ready_url), _START_S)
        yield
    finally:
        await end(process)


async def end(process: asyncio.subprocess.Process) -> None:
    """Have a process end, by force where it does not within 10 s."""
    if process.returncode is None:
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), 10)
    except TimeoutError:
        process.kill()
        await process.wait()


def stop_process(process: subprocess.Popen[bytes], sent: signal.Signals = signal.SIGTERM) -> None:
    """Stop or kill a process, by force where it does not end within 20 s."""
    process.send_signal(sent)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


async def _is_ready(process: asyncio.subprocess.Process, url: str) -> bool:
    if process.returncode is not None:
        pytest.fail(f"{url} ended with status {process.returncode} before it was ready")
    try:
        async with aiohttp.ClientSession() as session, session.get(url) as response:
            return response.status == 200
    except aiohttp.ClientError:
        return False


@asynccontextmanager
async def redis_server(folder: Path, port: int | None = None) -> AsyncIterator[int]:
    """A running Redis without persistence; yields its port."""
    require("redis-server")
    port = port or free_port()
    command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", str(folder)]
    command += ["--enable-debug-command", "yes"]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
    try:
        await until(lambda: _accepts(port), _START_S)
        yield port
    finally:
        await end(process)


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 0.5).close()
    except OSError:
        return False
    return True
