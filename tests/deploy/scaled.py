"""The roles of compose.scaled.yaml as processes: its commands, its configuration, its topics, its cache.

What differs from the files: addresses, the names of topics and groups where a broker serves other tests, too, and that
a worker that says nothing counts as gone after 6 s.
"""

import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.deploy.shipped import load
from tests.kafka.topics import topics_on, unique
from tests.monitor import Monitor
from tests.servers import free_port, get_json, until

COMPOSE = load("compose.scaled.yaml")["services"]
ROLES = {
    name: int(service.get("deploy", {}).get("replicas", 1))
    for name, service in COMPOSE.items()
    if service.get("command", [])[:2] == ["run", "--role"]
}
"""The services that run a role of groundwatch, with their replicas."""

TOPICS = dict(re.findall(r"(\w+):(\d+)", COMPOSE["kafka-topics"]["command"][0].split(";")[0]))
"""The topics that are made, with their partitions."""

PATIENCE_S = 60.0
"""Four interpreters start at once, and a group forms."""


class Scaled(NamedTuple):
    """Running processes by service; `topics` are the names that its topics have here."""

    processes: dict[str, list[Monitor]]
    topics: dict[str, str]

    @property
    def workers(self) -> list[Monitor]:
        """Who judges."""
        return self.processes["groundwatch-evaluate"]

    @property
    def front(self) -> Monitor:
        """Where spans go."""
        (only,) = self.processes["groundwatch-receive"]
        return only

    @property
    def alert(self) -> Monitor:
        """Who notifies."""
        (only,) = self.processes["groundwatch"]
        return only

    @property
    def everyone(self) -> list[Monitor]:
        """All of them, in the order in which they may stop."""
        return [self.front, *self.workers, self.alert]


@asynccontextmanager
async def scaled(
    folder: Path,
    broker: str,
    *,
    name: Callable[[str], str] = unique,
    missing: Collection[str] = (),
    **changes: Mapping[str, Any] | list[Any],
) -> AsyncIterator[Scaled]:
    """Start every replica of every role against a broker. `name` says what topics and groups are called; `missing`
    topics are not made. `changes` to the configuration are laid over its keys.
    """
    config, names = _config(folder, broker, name)
    for key, change in changes.items():
        config[key] = config[key] | change if isinstance(change, Mapping) else change
    async with topics_on(broker) as topics:
        for topic in TOPICS.keys() - missing:
            await topics.make(names[topic], int(TOPICS[topic]))
    with ExitStack() as stack:
        config["cache"]["redis"]["url"] = stack.enter_context(_valkey())
        started = {
            name: [stack.enter_context(_process(folder, f"{name}-{one}", name, config)) for one in range(replicas)]
            for name, replicas in ROLES.items()
        }
        for running in (process for processes in started.values() for process in processes):
            await until(partial(_is_ready, running), PATIENCE_S)
        yield Scaled(started, names)


async def _is_ready(running: Monitor) -> bool:
    assert running.process.poll() is None, running.log.read_text()
    return await get_json(f"{running.web}/readyz") is not None


def _config(folder: Path, broker: str, name: Callable[[str], str]) -> tuple[dict[str, Any], dict[str, str]]:
    names = {topic: name(topic) for topic in TOPICS}
    config: dict[str, Any] = load("compose/roles.yaml")
    config["streams"] = {
        "bootstrap_servers": [broker],
        "evaluations_topic": names["groundwatch_evaluations"],
        "spans_topic": names["otlp_spans"],
        "alert_group_id": name("groundwatch_alerts"),
    }
    config["receivers"]["kafka"] = {
        "bootstrap_servers": [broker],
        "topics": [names["otlp_spans"]],
        "group_id": name("groundwatch"),
        "dead_letter_topic": names["groundwatch_dead_letters"],
        "session_timeout_s": 6.0,
    }
    config["alerts"] |= {"notifiers": [{"type": "jsonlines"}], "outbox_path": str(folder / "outbox.sqlite")}
    config["assembly"] = {"grace_s": 0.5}
    return config, names


@contextmanager
def _valkey() -> Iterator[str]:
    port = free_port()
    command = ["redis-server", *COMPOSE["valkey"]["command"][1:], "--port", str(port), "--bind", "127.0.0.1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _process(folder: Path, name: str, service: str, config: dict[str, Any]) -> Iterator[Monitor]:
    """One replica; not waited for."""
    grpc, http, web = free_port(), free_port(), free_port()
    listening = {"grpc": {"port": grpc}, "http": {"port": http}}
    own = config | {"receivers": config["receivers"] | listening, "web": {"port": web}}
    file, log = folder / f"{name}.yaml", folder / f"{name}.log"
    file.write_text(yaml.safe_dump(own))
    command = [str(file) if part.endswith("groundwatch.yaml") else part for part in COMPOSE[service]["command"]]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "collector", *command], stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield Monitor(process, f"127.0.0.1:{grpc}", f"http://127.0.0.1:{http}", f"http://127.0.0.1:{web}", log)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
