"""What one notifier still has to be told: the latest state of each alert, not a queue of events.

A receiver that was away for an hour gets each alert once, as it is now. With a file the next process goes on where this
one ended: it neither loses a notification nor repeats one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from alerts.notifiers.base import Policy
from alerts.outbox_store import Kept, OutboxStore
from alerts.signals import Signal, SignalState
from evaluators.clock import Clock

CAPACITY = 2000


class Due(StrEnum):
    """What a notifier has to do about an alert now."""

    NEW = "new"
    RESOLVED = "resolved"
    REPEAT = "repeat"
    UPDATE = "update"
    WAIT = "wait"
    DONE = "done"
    GIVE_UP = "give_up"


_TO_SEND = frozenset({Due.NEW, Due.RESOLVED, Due.REPEAT, Due.UPDATE})


@dataclass(slots=True)
class Entry:
    """`since`: when the signal took its state. `sent_*`: the state and claim that were handed over last, and when."""

    signal: Signal
    since: float
    sent_state: SignalState | None = None
    sent_at: float = 0.0
    sent_claim: str = ""

    def note(self, signal: Signal, now: float) -> None:
        """This was handed over."""
        self.sent_state, self.sent_at, self.sent_claim = signal.state, now, signal.leading_claim


def due(entry: Entry, policy: Policy, now: float) -> Due:
    """The decision about one alert. Pure."""
    resolved = entry.signal.state is SignalState.RESOLVED
    if entry.sent_state is not entry.signal.state:
        if now - entry.since > policy.give_up_s:
            return Due.GIVE_UP
        return Due.RESOLVED if resolved else Due.NEW
    if resolved and now - entry.since >= policy.resolved_for_s:
        return Due.DONE
    if now - entry.sent_at >= policy.repeat_s:
        return Due.REPEAT
    has_news = not resolved and entry.signal.leading_claim not in ("", entry.sent_claim)
    return Due.UPDATE if has_news and now - entry.sent_at >= policy.update_s else Due.WAIT


class Keeper:
    """Keeps the entries of one notifier in a store, where times are wall time: no other clock outlives the process."""

    def __init__(self, store: OutboxStore, notifier: str, clock: Clock) -> None:
        self._store = store
        self._notifier = notifier
        self._clock = clock

    def load(self) -> list[Entry]:
        """What an earlier process left."""
        return [self.entry(kept) for kept in self._store.load(self._notifier)]

    def entry(self, kept: Kept) -> Entry:
        """What was kept, in this process's time; a clock that was set back makes nothing younger than now."""
        now = self._clock.monotonic()
        offset = self._clock.wall() - now
        since, sent_at = min(now, kept.since - offset), min(now, kept.sent_at - offset)
        return Entry(kept.signal, since, kept.sent_state, sent_at, kept.signal.leading_claim)

    def keep(self, entry: Entry) -> None:
        """Note an entry as it is now."""
        offset = self._clock.wall() - self._clock.monotonic()
        kept = Kept(entry.signal, entry.since + offset, entry.sent_state, entry.sent_at + offset)
        self._store.keep(self._notifier, entry.signal.fingerprint, kept)

    def drop(self, fingerprint: str) -> None:
        """Note that an alert is settled."""
        self._store.keep(self._notifier, fingerprint, None)

    def flush(self) -> None:
        """Write what was noted."""
        self._store.flush()


class Outbox:
    """At most `capacity` alerts; what does not fit is refused."""

    def __init__(self, policy: Policy, capacity: int = CAPACITY, keeper: Keeper | None = None) -> None:
        self._policy = policy
        self._capacity = capacity
        self._keeper = keeper
        kept = keeper.load() if keeper else []
        self._entries = {entry.signal.fingerprint: entry for entry in kept}

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def firing(self) -> list[Signal]:
        """The alerts that were raised and not resolved."""
        return [one.signal for one in self._entries.values() if one.signal.state is SignalState.FIRING]

    @property
    def undelivered(self) -> int:
        """How many alerts the notifier has not been told as they are now."""
        return sum(one.sent_state is not one.signal.state for one in self._entries.values())

    def put(self, signal: Signal, now: float) -> bool:
        """Take the latest state of an alert. False: there is no room for another alert."""
        entry = self._entries.get(signal.fingerprint)
        if entry is None:
            if len(self._entries) >= self._capacity:
                return False
            entry = self._entries[signal.fingerprint] = Entry(signal, now)
        else:
            if entry.signal.state is not signal.state or entry.signal.starts_at != signal.starts_at:
                self._renew(entry, signal, now)
            entry.signal = signal
        self._keep(entry)
        return True

    def adopt(self, kept: Kept) -> None:
        """Go on with what another process has told."""
        if self._keeper:
            self._entries[kept.signal.fingerprint] = self._keeper.entry(kept)

    def _renew(self, entry: Entry, signal: Signal, now: float) -> None:
        entry.since = now
        if entry.signal.starts_at != signal.starts_at:
            entry.sent_state = None

    def due(self, now: float) -> tuple[list[Signal], int]:
        """What to send now, at most a batch or one whole group, and how many alerts were given up."""
        found: list[tuple[Entry, Due]] = []
        given_up = 0
        for fingerprint, entry in list(self._entries.items()):
            match what := due(entry, self._policy, now):
                case Due.GIVE_UP:
                    given_up += 1
                    self._settle(fingerprint, entry, now)
                case Due.DONE:
                    self._drop(fingerprint)
                case _:
                    found.append((entry, what))
        return self._choose(found, now), given_up

    def sent(self, signals: Iterable[Signal], now: float) -> None:
        """These were handed over, or refused for good: either way they are not tried again before they repeat."""
        for signal in signals:
            if entry := self._entries.get(signal.fingerprint):
                entry.note(signal, now)
                self._keep(entry)
        if self._keeper:
            self._keeper.flush()

    def _choose(self, found: list[tuple[Entry, Due]], now: float) -> list[Signal]:
        if not self._policy.group_by:
            return [entry.signal for entry, what in found if what in _TO_SEND][: self._policy.batch]
        groups: dict[tuple[str, ...], list[tuple[Entry, Due]]] = {}
        for entry, what in found:
            groups.setdefault(entry.signal.group(self._policy.group_by), []).append((entry, what))
        return next((_whole(group) for group in groups.values() if self._is_due(group, now)), [])

    def _is_due(self, group: list[tuple[Entry, Due]], now: float) -> bool:
        told = max((entry.sent_at for entry, _ in group if entry.sent_state), default=None)
        rested = told is None or now - told >= self._policy.group_interval_s
        return rested and any(what in _TO_SEND for _, what in group)

    def _settle(self, fingerprint: str, entry: Entry, now: float) -> None:
        if entry.signal.state is SignalState.RESOLVED:
            self._drop(fingerprint)
        else:
            entry.note(entry.signal, now)
            self._keep(entry)

    def _keep(self, entry: Entry) -> None:
        if self._keeper:
            self._keeper.keep(entry)

    def _drop(self, fingerprint: str) -> None:
        del self._entries[fingerprint]
        if self._keeper:
            self._keeper.drop(fingerprint)


def _whole(group: list[tuple[Entry, Due]]) -> list[Signal]:
    """All of a group, what still goes on first, the most severe first: its receiver sees the group as it is."""
    signals = [entry.signal for entry, _ in group]
    return sorted(signals, key=lambda one: (one.state is SignalState.RESOLVED, one.severity.rank, one.starts_at))
