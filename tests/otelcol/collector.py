"""The OpenTelemetry Collector for tests, with what the configurations in deploy/ need. Go builds it once, in minutes.

python -m tests.otelcol.collector fetch     build it (Go 1.21 or newer; modules come from the Go module proxy)
"""

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from tests.servers import end, free_port, until

SHIPPED = Path(__file__).parents[2] / "deploy" / "otel-collector"
MANIFEST = Path(__file__).parent / "manifest.yaml"
_PARTS = yaml.safe_load(MANIFEST.read_text())
VERSION = _PARTS["dist"]["version"]
_BUILT = Path(sys.prefix) / "otelcol" / hashlib.sha256(json.dumps(_PARTS).encode()).hexdigest()[:12] / "otelcol"
_BUILDER = f"go.opentelemetry.io/collector/cmd/builder@v{VERSION}"
# A third of the compiler's work is saved by not inlining; a test's Collector need not be fast.
_GCFLAGS = "all=-l"
_FETCH_S = 1800.0
_START_S = 30.0
_QUIET = "service::telemetry::metrics::level: none"


class Endpoints(NamedTuple):
    """Where a running Collector takes OTLP ("host:port", and a base URL), and what it logs."""

    grpc: str
    http: str
    log: Path


def require_collector() -> str:
    """The program; skips, or fails where servers are required, without one."""
    found = str(_BUILT) if _BUILT.exists() else shutil.which("otelcol-contrib")
    if found:
        return found
    message = "no OpenTelemetry Collector: python -m tests.otelcol.collector fetch (builds it, needs Go)"
    if os.environ.get("GROUNDWATCH_REQUIRE_SERVERS") == "1":
        pytest.fail(message)
    pytest.skip(message)


@asynccontextmanager
async def otel_collector(folder: Path, name: str, *overrides: str, **environment: str) -> AsyncIterator[Endpoints]:
    """Run a shipped configuration as it is, but for the ports of its OTLP receiver and `overrides`.

    Each of these is `path::to::key: value`, as `--config=yaml:...` takes it; what the file reads from the environment
    is in `environment`.
    """
    ports = {"grpc": free_port(), "http": free_port()}
    file = SHIPPED / f"{name}.yaml"
    has_otlp = "otlp" in yaml.safe_load(file.read_text())["receivers"]
    moved = [
        f"receivers::otlp::protocols::{one}::endpoint: 127.0.0.1:{port}" for one, port in ports.items() if has_otlp
    ]
    command = [
        require_collector(),
        f"--config={file}",
        *(f"--config=yaml:{one}" for one in (*moved, _QUIET, *overrides)),
    ]
    logged = folder / f"{name}-{ports['grpc']}.log"
    with logged.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command, stdout=log, stderr=log, env={**os.environ, **environment}
        )
    try:
        await until(lambda: _is_ready(process, logged), _START_S)
        yield Endpoints(f"127.0.0.1:{ports['grpc']}", f"http://127.0.0.1:{ports['http']}", logged)
    finally:
        await end(process)


def _is_ready(process: asyncio.subprocess.Process, log: Path) -> bool:
    text = log.read_text(errors="replace")
    if process.returncode is not None:
        pytest.fail(f"the Collector ended with status {process.returncode}:\n{text[-3000:]}")
    return "Everything is ready" in text


def fetch() -> None:
    """Build the Collector unless it is there. Raises CalledProcessError, TimeoutExpired or OSError where that fails."""
    if _BUILT.exists():
        return
    flags = ["-p=2", "-trimpath", f"-gcflags={_GCFLAGS}"]
    environment = {
        **os.environ,
        "CGO_ENABLED": "0",
        "GOFLAGS": " ".join([os.environ.get("GOFLAGS", ""), *flags]).strip(),
        "GOTOOLCHAIN": "auto",
    }
    _BUILT.parent.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_BUILT.parent.parent) as folder:
        builder = ["go", "run", _BUILDER, "--config", str(MANIFEST), "--output-path", folder, "--gcflags", _GCFLAGS]
        subprocess.run(builder, env=environment, check=True, timeout=_FETCH_S, capture_output=True, text=True)
        _BUILT.parent.mkdir(exist_ok=True)
        (Path(folder) / "otelcol").rename(_BUILT)


def main() -> None:
    """Fetch, and say where it lies."""
    if sys.argv[1:] != ["fetch"]:
        sys.exit(__doc__)
    print(f"OpenTelemetry Collector {VERSION}: building it unless it is there", flush=True)
    try:
        fetch()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.stderr[-3000:]}\nGo could not build it; it needs Go 1.21 or newer")
    except (subprocess.TimeoutExpired, OSError) as error:
        sys.exit(f"needs Go 1.21 or newer, and the Go module proxy: {error}")
    print(_BUILT)


if __name__ == "__main__":
    main()
