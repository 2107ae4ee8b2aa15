"""Receipts: one mechanism for "acknowledged and not yet done".

A source delivers units in order, a Kafka partition its messages, and gives each a receipt. Open traces hold the
receipts of the units that brought their spans and let go of them once they are judged, skipped or dismissed. The oldest
receipt still held is the source's low watermark: whoever reads again from there misses nothing.
"""

from collections import OrderedDict
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Self


class Source:
    """The receipts of one ordered source that are still held.

    `position` is the next unit that the source will deliver. While `suspended`, traces that hold receipts of the source
    are neither closed nor judged: it may be about to be handed to somebody else.
    """

    __slots__ = ("_held", "_late", "position", "suspended")

    def __init__(self, position: int) -> None:
        self.position = position
        self.suspended = False
        self._held: OrderedDict[int, Receipt] = OrderedDict()
        self._late: set[int] = set()

    @property
    def held(self) -> int:
        """How many receipts are held."""
        return len(self._held)

    @property
    def oldest(self) -> "Receipt | None":
        """The oldest receipt that is held."""
        return next(iter(self._held.values()), None)

    @property
    def low_watermark(self) -> int:
        """All units before it are done."""
        oldest = self.oldest
        return self.position if oldest is None else oldest.position

    @property
    def oldest_late(self) -> int:
        """All units before it that belong to traces which the low watermark has passed are done."""
        return min(self._late, default=self.position)

    def note_late(self, position: int) -> None:
        """A held unit corrects a trace that was done."""
        if position in self._held:
            self._late.add(position)

    def keep(self, receipt: "Receipt") -> None:
        """Note a receipt that is held now."""
        self._held[receipt.position] = receipt

    def drop(self, receipt: "Receipt") -> None:
        """Forget a receipt that nobody holds any more."""
        del self._held[receipt.position]
        self._late.discard(receipt.position)


class Receipt:
    """One unit of a source, taken at `taken_at` (monotonic seconds). Held any number of times."""

    __slots__ = ("_holders", "position", "source", "taken_at")

    def __init__(self, source: Source, position: int, taken_at: float) -> None:
        self.source = source
        self.position = position
        self.taken_at = taken_at
        self._holders = 0

    def hold(self) -> Self:
        """One holder more."""
        if not self._holders:
            self.source.keep(self)
        self._holders += 1
        return self

    def release(self) -> None:
        """One holder less; the last one lets the watermark pass."""
        self._holders -= 1
        if not self._holders:
            self.source.drop(self)


Receipts = tuple[Receipt, ...]


def with_receipt(held: Receipts, receipt: Receipt) -> Receipts:
    """`held` and, unless it has an older one of the same source, the receipt: the older one keeps the watermark."""
    if any(one.source is receipt.source for one in held):
        return held
    return (*held, receipt.hold())


def release(receipts: Iterable[Receipt]) -> None:
    """Let go of all."""
    for receipt in receipts:
        receipt.release()


@dataclass(slots=True)
class _Unjudged:
    receipts: Receipts
    holders: int


class Custody:
    """The receipts of closed traces that are not judged yet.

    A unit that is delivered again meanwhile joins: it must not count as done before the verdict is.
    """

    def __init__(self) -> None:
        self._unjudged: dict[bytes, _Unjudged] = {}

    def __len__(self) -> int:
        return len(self._unjudged)

    def take(self, trace_id: bytes, receipts: Receipts) -> None:
        """Take over the receipts of a trace that closes, until `release`."""
        unjudged = self._unjudged.get(trace_id)
        if unjudged is None:
            self._unjudged[trace_id] = _Unjudged(receipts, 1)
            return
        unjudged.holders += 1
        for receipt in receipts:
            unjudged.receipts = with_receipt(unjudged.receipts, receipt)
            receipt.release()

    def hold(self, trace_id: bytes) -> None:
        """One more `release` is to come, where the trace is in custody at all."""
        if unjudged := self._unjudged.get(trace_id):
            unjudged.holders += 1

    def join(self, trace_id: bytes, receipt: Receipt) -> None:
        """A unit that brought a span of a closed trace: done when the trace is, at once if it is."""
        if unjudged := self._unjudged.get(trace_id):
            unjudged.receipts = with_receipt(unjudged.receipts, receipt)

    def release(self, trace_id: bytes) -> None:
        """One holder is done; with the last one the receipts go. No error where there are none."""
        unjudged = self._unjudged.get(trace_id)
        if unjudged is None:
            return
        unjudged.holders -= 1
        if not unjudged.holders:
            del self._unjudged[trace_id]
            release(unjudged.receipts)

    def forfeit(self, trace_id: bytes) -> None:
        """The trace will not be judged here: its receipts stay held, so that whoever commits does not pass them."""
        self._unjudged.pop(trace_id, None)

    def is_suspended(self, trace_id: bytes) -> bool:
        """Whether a source of the trace may be about to be handed to somebody else."""
        unjudged = self._unjudged.get(trace_id)
        return unjudged is not None and any(one.source.suspended for one in unjudged.receipts)

    def is_of(self, trace_id: bytes, sources: Container[Source]) -> bool:
        """Whether these sources, and no other, brought the trace."""
        unjudged = self._unjudged.get(trace_id)
        return unjudged is not None and all(one.source in sources for one in unjudged.receipts)
