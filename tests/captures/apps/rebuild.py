"""Run the apps again and compare what the monitor reads with the key.

`make captures`, or `python -m tests.captures.apps.rebuild APP ...`.

Each app gets an environment of its own under build/captures with the versions of its requirements file (JavaScript:
package.json). To try a new version of a library, change it there. Needs network for the first run; node for ai_sdk.
"""

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.captures.apps.shop import CASES, DOCUMENTS
from tests.captures.own.key import KEY, OWN, differences

HERE = Path(__file__).parent
TIMEOUT_S = 600


class Sink:
    """Takes whatever is posted to it, in order."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.logs: list[bytes] = []
        self.url = ""

    @contextmanager
    def listening(self) -> Iterator["Sink"]:
        """Listen on a free port."""
        bodies, logs = self.bodies, self.logs

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self._read()
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                if self.path.endswith("/v1/traces"):
                    bodies.append(body)
                elif self.path.endswith("/v1/logs"):
                    logs.append(body)
                self.send_response(200)
                self.send_header("Content-Type", self.headers.get("Content-Type", ""))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def _read(self) -> bytes:
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length", 0)))
                parts = []
                while size := int(self.rfile.readline(), 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()


def rebuild(app: str, environments: Path) -> int:
    """Replace the app's bodies; how many there are now. Raises CalledProcessError where it fails."""
    command, work = (_node if app == "ai_sdk" else _python)(app, environments)
    with Sink().listening() as sink:
        environment = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": sink.url, "SHOP": str(_shop(work))}
        subprocess.run(command, cwd=work, env=environment, check=True, timeout=TIMEOUT_S)
    if not sink.bodies:
        raise RuntimeError(f"{app} exported nothing")
    folder = OWN / app
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, body in enumerate(sink.bodies):
        (folder / f"{number:02}.pb").write_bytes(body)
    for number, body in enumerate(sink.logs):
        (folder / f"{number:02}.logs").write_bytes(body)
    return len(sink.bodies)


def _python(app: str, environments: Path) -> tuple[list[str], Path]:
    home = environments / app
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    wanted = HERE / "requirements" / f"{app}.txt"
    done = home / "requirements.done"
    if not done.exists() or done.read_bytes() != wanted.read_bytes():
        install = [str(python), "-m", "pip", "install", "--quiet", "-r", str(wanted)]
        subprocess.run(install, check=True, timeout=TIMEOUT_S)
        shutil.copy(wanted, done)
    return [str(python), str(HERE / f"{app}.py")], home


def _node(app: str, environments: Path) -> tuple[list[str], Path]:
    home = environments / app
    home.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "app.mjs"):
        shutil.copy(HERE / app / name, home / name)
    subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=home, check=True, timeout=TIMEOUT_S)
    return ["node", "app.mjs"], home


def _shop(work: Path) -> Path:
    """The documents and cases for apps in other languages."""
    path = work / "shop.json"
    path.write_text(json.dumps({"documents": DOCUMENTS, "cases": [case._asdict() for case in CASES]}))
    return path


def main() -> int:
    """Rebuild the named apps, or all; 1 where one is read otherwise than its key says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apps", nargs="*", default=sorted(KEY))
    parser.add_argument("--environments", type=Path, default=Path("build/captures"))
    chosen = parser.parse_args()
    wrong = 0
    for app in chosen.apps:
        count = rebuild(app, chosen.environments.absolute())
        found = differences(app)
        wrong += bool(found)
        sys.stdout.write(f"{app}: {count} bodies, {'as the key says' if not found else '; '.join(found)}\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
