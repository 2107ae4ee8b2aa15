"""Starts the monitor as users do: the command, in a process of its own, with a configuration file."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.servers import free_port

PATIENCE_S = 20.0


class Monitor(NamedTuple):
    """A running `groundwatch run`."""

    process: subprocess.Popen[bytes]
    grpc: str
    http: str
    web: str
    log: Path

    def get(self, path: str) -> str:
        """The body of a page."""
        with urllib.request.urlopen(f"{self.web}{path}", timeout=5) as response:
            return str(response.read(), "utf-8")

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


@contextmanager
def monitor(folder: Path, *, role: str = "all", **config: Any) -> Iterator[Monitor]:
    """Start with `config` over free ports; ends it at the end whatever happened."""
    folder.mkdir(exist_ok=True)
    grpc, http, web = free_port(), free_port(), free_port()
    config["receivers"] = {"grpc": {"port": grpc}, "http": {"port": http}} | config.get("receivers", {})
    config["web"] = {"port": web} | config.get("web", {})
    config["alerts"] = {"base_url": f"http://127.0.0.1:{web}"} | config.get("alerts", {})
    file = folder / "groundwatch.yaml"
    file.write_text(yaml.safe_dump(config))
    log = folder / "groundwatch.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "collector", "run", "--role", role, "-c", str(file)],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    running = Monitor(process, f"127.0.0.1:{grpc}", f"http://127.0.0.1:{http}", f"http://127.0.0.1:{web}", log)
    try:
        _wait_ready(running)
        yield running
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _wait_ready(running: Monitor) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            running.get("/readyz")
        except (urllib.error.URLError, ConnectionError) as error:
            if running.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the monitor did not start:\n{running.log.read_text()}") from error
            time.sleep(0.1)
        else:
            return
