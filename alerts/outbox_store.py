"""Where outboxes outlive a process."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from alerts.signals import Signal, SignalState


@dataclass(frozen=True, slots=True)
class Kept:
    """An alert as one notifier knows it. Times are epoch seconds."""

    signal: Signal
    since: float
    sent_state: SignalState | None
    sent_at: float


class OutboxStore(Protocol):
    """Keeps the last state of each alert by notifier and fingerprint, None once it is settled.

    `keep` notes and `flush` writes what was noted; neither raises nor waits long. `degraded` says why a state would not
    outlive the process, `fate` what becomes of notifications that are left at its end, in words.
    """

    @property
    def degraded(self) -> str | None: ...

    @property
    def fate(self) -> str: ...

    def load(self, notifier: str) -> list[Kept]: ...

    def forget_others(self, notifiers: Iterable[str]) -> None: ...

    def keep(self, notifier: str, fingerprint: str, kept: Kept | None) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...
