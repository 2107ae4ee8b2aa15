"""A timer wheel: put and due cost O(1) per entry, however many timers run."""

from collections.abc import Container, Iterator

SLOT_S = 0.25
"""Timers fire up to this much late, never early."""


class Wheel:
    """Keys in slots of time. A key may be in several slots: who takes it out decides whether it is really due."""

    def __init__(self) -> None:
        self._slots: dict[int, list[bytes]] = {}
        self._next: int | None = None

    def __len__(self) -> int:
        return sum(len(keys) for keys in self._slots.values())

    def keep(self, wanted: Container[bytes]) -> None:
        """Forget the timers of all other keys."""
        for slot, keys in self._slots.items():
            self._slots[slot] = [key for key in keys if key in wanted]

    def put(self, key: bytes, deadline: float) -> None:
        """Have `key` come out once `deadline` (monotonic seconds) has passed."""
        slot = int(deadline / SLOT_S) + 1
        self._slots.setdefault(slot, []).append(key)
        if self._next is None or slot < self._next:
            self._next = slot

    def due(self, now: float) -> Iterator[bytes]:
        """Take out every key whose slot has passed; keys put back meanwhile are for later."""
        last = int(now / SLOT_S)
        if self._next is None or self._next > last:
            return
        for slot in sorted(slot for slot in self._slots if slot <= last):
            yield from self._slots.pop(slot)
        self._next = min(self._slots, default=None)
