"""Prometheus and Alertmanager with the files of deploy/, and an inbox.

What differs from the files: addresses, which are shown under the names that they stand for, and the paces of scraping
and evaluating (1 s) and of grouping (1 s). Rules, routes and inhibitions are the shipped ones.
"""

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.deploy.shipped import DEPLOY, load
from tests.servers import free_port, running


@asynccontextmanager
async def prometheus(
    folder: Path, file: str, targets: Mapping[str, Sequence[str]], alertmanager: str
) -> AsyncIterator[str]:
    """A server with a file of deploy/prometheus; `targets` are the addresses ("host:port") behind the names in it."""
    config = load(f"prometheus/{file}")
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(DEPLOY / "prometheus" / pattern) for pattern in config["rule_files"]]
    config["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"] = [alertmanager.removeprefix("http://")]
    (job,) = (job for job in config["scrape_configs"] if job["job_name"] == "groundwatch")
    replicas = [(name, number, address) for name in _names(job) for number, address in enumerate(targets[name], 1)]
    groups = [{"targets": [address], "labels": {"instance": f"{name}-{number}"}} for name, number, address in replicas]
    config["scrape_configs"] = [{"job_name": job["job_name"], "static_configs": groups}]
    path, port = _write(folder, config), free_port()
    command = [
        "prometheus",
        f"--config.file={path}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--enable-feature=exemplar-storage",
    ]
    async with running(command, folder, f"http://127.0.0.1:{port}/-/ready"):
        yield f"http://127.0.0.1:{port}"


def _names(job: Mapping[str, Any]) -> list[str]:
    """The services that a job scrapes."""
    fixed = [target for one in job.get("static_configs", []) for target in one["targets"]]
    return [name for one in job.get("dns_sd_configs", []) for name in one["names"]] + [
        target.partition(":")[0] for target in fixed
    ]


@asynccontextmanager
async def alertmanager(folder: Path, inbox: str) -> AsyncIterator[str]:
    """A server whose receivers are an inbox."""
    config = load("alertmanager/alertmanager.yml")
    for route in (config["route"], *config["route"]["routes"]):
        route |= {"group_wait": "1s", "group_interval": "1s"}
    for receiver in config["receivers"]:
        for webhook in receiver.get("webhook_configs", []):
            webhook["url"] = f"{inbox}/{receiver['name']}"
    path, port = _write(folder, config), free_port()
    command = [
        "prometheus-alertmanager",
        f"--config.file={path}",
        f"--storage.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    ]
    async with running(command, folder, f"http://127.0.0.1:{port}/-/ready"):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def inbox(log: Path) -> Iterator[str]:
    """A receiver that writes what a person would read into a file."""
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
