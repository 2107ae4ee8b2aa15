"""JSON lines: one signal a line, appended to a file or written to standard output."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from alerts.encoding import to_json
from alerts.notifiers.base import HOUR, UPDATE_S, Notifier, Policy
from alerts.signals import Signal
from alerts.strict import Strict
from evaluators.clock import Clock
from evaluators.duration import PositiveDuration
from evaluators.errors import RetryableError

STDOUT = "-"


class JsonLinesSettings(Strict):
    """A file, or standard output for "-". The file is opened for each batch, so that it may be rotated at any time."""

    type: Literal["jsonlines"]
    name: str = "jsonlines"
    path: str = STDOUT
    repeat_interval: PositiveDuration = 4 * HOUR

    def build(self, clock: Clock) -> list[Notifier]:
        """One notifier."""
        return [JsonLines(self)]


class JsonLines:
    """Appends signals."""

    timeout_s = 10.0

    def __init__(self, settings: JsonLinesSettings) -> None:
        self.name = settings.name
        self.policy = Policy(repeat_s=settings.repeat_interval, update_s=UPDATE_S)
        self._path = settings.path

    async def send(self, signals: Sequence[Signal]) -> None:
        """Append one batch, off the event loop: a disk may be slow. A full disk may have room later."""
        lines = b"".join(to_json(signal.to_json()) + b"\n" for signal in signals)
        try:
            await asyncio.to_thread(self._append, lines)
        except OSError as error:
            raise RetryableError(f"cannot write: {error.strerror or type(error).__name__}") from None

    async def aclose(self) -> None:
        """Nothing is held open."""

    def _append(self, lines: bytes) -> None:
        if self._path == STDOUT:
            sys.stdout.buffer.write(lines)
            sys.stdout.buffer.flush()
            return
        with Path(self._path).open("ab") as file:
            file.write(lines)
