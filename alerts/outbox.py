"""What one notifier still has to be told: the latest state of each alert, not a queue of events.

A receiver that was away for an hour gets each alert once, as it is now. This is where durability belongs: whatever
keeps `put`, `due`, `sent` and `drop` over a restart can take its place.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from alerts.notifiers.base import Policy
from alerts.signals import Signal, SignalState

CAPACITY = 2000


class Due(StrEnum):
    """What a notifier has to do about an alert now."""

    NEW = "new"
    RESOLVED = "resolved"
    REPEAT = "repeat"
    WAIT = "wait"
    DONE = "done"
    GIVE_UP = "give_up"


@dataclass(slots=True)
class Entry:
    """`since`: when the signal took its state. `sent_state`, `sent_at`: what was handed over last, and when."""

    signal: Signal
    since: float
    sent_state: SignalState | None = None
    sent_at: float = 0.0


def due(entry: Entry, policy: Policy, now: float) -> Due:
    """The decision about one alert. Pure."""
    resolved = entry.signal.state is SignalState.RESOLVED
    if entry.sent_state is not entry.signal.state:
        if now - entry.since > policy.give_up_s:
            return Due.GIVE_UP
        return Due.RESOLVED if resolved else Due.NEW
    if resolved and now - entry.since >= policy.resolved_for_s:
        return Due.DONE
    return Due.REPEAT if now - entry.sent_at >= policy.repeat_s else Due.WAIT


class Outbox:
    """At most `capacity` alerts; what does not fit is refused."""

    def __init__(self, policy: Policy, capacity: int = CAPACITY) -> None:
        self._policy = policy
        self._capacity = capacity
        self._entries: dict[str, Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, signal: Signal, now: float) -> bool:
        """Take the latest state of an alert. False: there is no room for another alert."""
        entry = self._entries.get(signal.fingerprint)
        if entry is None:
            if len(self._entries) >= self._capacity:
                return False
            self._entries[signal.fingerprint] = Entry(signal, now)
        else:
            if entry.signal.state is not signal.state or entry.signal.starts_at != signal.starts_at:
                self._renew(entry, signal, now)
            entry.signal = signal
        return True

    def _renew(self, entry: Entry, signal: Signal, now: float) -> None:
        entry.since = now
        if entry.signal.starts_at != signal.starts_at:
            entry.sent_state = None

    def due(self, now: float) -> tuple[list[Signal], int]:
        """What to send now, at most a batch, and how many alerts were given up."""
        batch: list[Signal] = []
        given_up = 0
        for fingerprint, entry in list(self._entries.items()):
            match due(entry, self._policy, now):
                case Due.GIVE_UP:
                    given_up += 1
                    self._settle(fingerprint, entry, now)
                case Due.DONE:
                    del self._entries[fingerprint]
                case Due.NEW | Due.RESOLVED | Due.REPEAT if len(batch) < self._policy.batch:
                    batch.append(entry.signal)
        return batch, given_up

    def sent(self, signals: Iterable[Signal], now: float) -> None:
        """These were handed over, or refused for good: either way they are not tried again before they repeat."""
        for signal in signals:
            if entry := self._entries.get(signal.fingerprint):
                entry.sent_state, entry.sent_at = signal.state, now

    def _settle(self, fingerprint: str, entry: Entry, now: float) -> None:
        if entry.signal.state is SignalState.RESOLVED:
            del self._entries[fingerprint]
        else:
            entry.sent_state, entry.sent_at = entry.signal.state, now
