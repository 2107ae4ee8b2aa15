"""Both receivers in a process of their own, for tests that measure memory: `python -m tests.serving '{settings}'`."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen

from collector.codec import Codec
from collector.receivers.otlp_grpc import OtlpGrpcReceiver
from collector.receivers.otlp_http import OtlpHttpReceiver
from collector.receivers.settings import ReceiverSettings
from tests.fakes import CountingMetrics, SpanLog
from tests.otlp import MARKERS


@dataclass(frozen=True)
class Served:
    """A process with both receivers."""

    pid: int
    ports: dict[str, int]

    def rss(self) -> int:
        """Resident bytes now."""
        return self._status("VmRSS")

    def peak_rss(self) -> int:
        """The most resident bytes since `forget_peak`."""
        return self._status("VmHWM")

    def forget_peak(self) -> None:
        """Start measuring the peak anew."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def _status(self, key: str) -> int:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
        raise LookupError(key)


@contextmanager
def served(**settings: object) -> Iterator[Served]:
    """Start the process and stop it again."""
    command = [sys.executable, "-m", "tests.serving", json.dumps(settings)]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Served(process.pid, json.loads(process.stdout.readline()))
        finally:
            process.terminate()


async def _serve(settings: dict[str, object]) -> None:
    parts = (Codec(MARKERS), SpanLog(), CountingMetrics())
    grpc_receiver = OtlpGrpcReceiver(ReceiverSettings(port=0, **settings), *parts)
    http_receiver = OtlpHttpReceiver(ReceiverSettings(port=0, **settings), *parts)
    await grpc_receiver.start()
    await http_receiver.start()
    sys.stdout.write(json.dumps({"grpc": grpc_receiver.port, "http": http_receiver.port}) + "\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(json.loads(sys.argv[1])))
    os._exit(0)
