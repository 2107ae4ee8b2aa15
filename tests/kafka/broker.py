"""A Kafka broker for tests: Apache Kafka in KRaft mode, one node. It needs Java 17; Maven fetches it the first time.

python -m tests.kafka.broker          fetch it, start it on loopback, and print its address until interrupted
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.certificates import write_certificate
from tests.servers import free_port, stop_process

VERSION = "4.3.1"
_POM = Path(__file__).parent / "pom.xml"
_LIBS = Path(sys.prefix) / "kafka" / f"libs-{VERSION}"
_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies"
_START_S = 60.0
USER, PASSWORD = "monitor", "hush"
_SCRAM = [
    part
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512")
    for part in ("--add-scram", f"{mechanism}=[name={USER},password={PASSWORD}]")
]
_FETCH_S = 600.0
INSTALL = "install Java 17 and Maven, and let mvn fetch Apache Kafka once"


class Broker:
    """One broker on fixed ports; it can be killed, stopped and started again, and keeps its data.

    `address` is open to all; `secure_address` wants TLS with the certificate in `ca`, and USER with PASSWORD.
    """

    is_idempotent = True
    """Whether it takes messages from an idempotent producer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port, self._controller_port, secure_port = free_port(), free_port(), free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.address = f"127.0.0.1:{self._port}"
        self.secure_address = f"localhost:{secure_port}"
        self.ca = folder / "ca.pem"

    def start(self) -> None:
        """Start, and wait until it answers."""
        self._prepare()
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(self._command(), stdout=log, stderr=log, start_new_session=True)
        give_up = time.monotonic() + _START_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > give_up:
                raise AssertionError(f"the broker did not start:\n{(self._folder / 'log').read_text()[-3000:]}")
            time.sleep(0.1)

    def stop(self, sent: signal.Signals = signal.SIGTERM) -> None:
        """Stop it, or kill it."""
        process, self._process = self._process, None
        if process is None:
            return
        stop_process(process, sent)

    def _command(self) -> list[str]:
        return [*_java("-Xmx512m", "-XX:+UseSerialGC"), "kafka.Kafka", str(self._folder / "server.properties")]

    def _prepare(self) -> None:
        file = self._folder / "server.properties"
        if file.exists():
            return
        file.write_text(self._properties())
        write_certificate(self._folder)
        tool = [*_java(), "kafka.tools.StorageTool", "format", "--cluster-id", "Z3JvdW5kd2F0Y2gtdGVzdA"]
        done = subprocess.run([*tool, "--config", str(file), "--standalone", *_SCRAM], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()

    def _properties(self) -> str:
        controller = f"CONTROLLER://127.0.0.1:{self._controller_port}"
        listeners = f"PLAINTEXT://{self.address},{controller},SECURE://{self.secure_address}"
        module = "org.apache.kafka.common.security"
        settings = {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.bootstrap.servers": f"127.0.0.1:{self._controller_port}",
            "listeners": listeners,
            "advertised.listeners": listeners,
            "inter.broker.listener.name": "PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SECURE:SASL_SSL",
            "listener.name.secure.ssl.keystore.type": "PEM",
            "listener.name.secure.ssl.keystore.location": self._folder / "server.pem",
            "listener.name.secure.sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
            "listener.name.secure.plain.sasl.jaas.config": (
                f'{module}.plain.PlainLoginModule required user_{USER}="{PASSWORD}";'
            ),
            "listener.name.secure.scram-sha-256.sasl.jaas.config": f"{module}.scram.ScramLoginModule required;",
            "listener.name.secure.scram-sha-512.sasl.jaas.config": f"{module}.scram.ScramLoginModule required;",
            "log.dirs": self._folder / "data",
            "auto.create.topics.enable": "false",
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 4,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "group.initial.rebalance.delay.ms": 0,
            "group.min.session.timeout.ms": 1000,
            "log.retention.check.interval.ms": 1000,
            "log.initial.task.delay.ms": 500,
        }
        return "\n".join(f"{key}={value}" for key, value in settings.items())

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self._port), 0.5).close()
        except OSError:
            return False
        return self._has_started()

    def _has_started(self) -> bool:
        return b"Kafka Server started" in (self._folder / "log").read_bytes()


def require_kafka() -> None:
    """Skip, or fail where servers are required, unless Apache Kafka can be had; fetches it the first time."""
    if has_apache():
        return
    message = f"no Kafka broker: {INSTALL}"
    if os.environ.get("GROUNDWATCH_REQUIRE_SERVERS") == "1":
        pytest.fail(message)
    pytest.skip(message)


@contextlib.contextmanager
def running_broker(folder: Path, kind: type[Broker] = Broker) -> Iterator[Broker]:
    """A broker that is started, and stopped at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    broker = kind(folder)
    broker.start()
    try:
        yield broker
    finally:
        broker.stop()


def has_apache() -> bool:
    """Whether Apache Kafka can be had; fetches it the first time."""
    if shutil.which("java") is None or not (_LIBS.exists() or shutil.which("mvn")):
        return False
    return _LIBS.exists() or _fetch()


def _java(*options: str) -> list[str]:
    quick = ["-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=info"]
    return ["java", *options, *quick, "-cp", f"{_LIBS}/*"]


def _fetch() -> bool:
    """Whether Apache Kafka is there now."""
    partial = _LIBS.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = ["mvn", "-q", "-B", "-f", str(_POM), _COPY, "-DincludeScope=runtime", f"-DoutputDirectory={partial}"]
    try:
        subprocess.run([*command, f"-Dkafka.version={VERSION}"], capture_output=True, check=True, timeout=_FETCH_S)
    except (subprocess.SubprocessError, OSError):
        return False
    partial.rename(_LIBS)
    return True


def main() -> None:
    """Fetch, and run until interrupted."""
    print(f"Apache Kafka {VERSION}: fetching what is not there yet", flush=True)
    if not has_apache():
        sys.exit("needs Java 17 and Maven, which fetches it")
    if sys.argv[1:] == ["fetch"]:
        return
    with tempfile.TemporaryDirectory() as folder, running_broker(Path(folder)) as broker:
        print(f"Apache Kafka {VERSION} on {broker.address}; Ctrl-C stops it", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
