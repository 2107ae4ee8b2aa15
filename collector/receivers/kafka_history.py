"""What lies behind a partition's watermark and still matters: the earlier parts of traces that go on after it.

Traces overlap, so wherever a watermark stands some traces that are done have messages on both sides of it. Whoever
takes the partition over would read the second half of such a trace alone, and take it for a whole one. A commit
therefore says more than its offset: from where to read again what is only to be remembered, and up to where these
traces are done.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Self

REMEMBERED_TRACES = 50_000
"""As many as the assembler remembers by default: what it has forgotten it could not join either."""

BLOCK = 128
"""Messages that share an entry. Up to so many more than needed are read again."""

MAX_BLOCKS = 4096
UNKNOWN_PAST = 5_000
"""Messages that are remembered of a past of which nothing is said."""

_VERSION = "1"


class Past(NamedTuple):
    """`read_from`: the first offset to remember. `done_until`: what these traces have before it is done too."""

    read_from: int
    done_until: int

    def dump(self) -> str:
        """As the metadata of a commit."""
        return f"{_VERSION} {self.read_from} {self.done_until}"

    @classmethod
    def load(cls, metadata: str, offset: int) -> Self | None:
        """From a commit of `offset`, None where somebody else made it."""
        version, *numbers = metadata.split(" ")
        if version != _VERSION or len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
            return None
        return cls(min(int(numbers[0]), offset), max(int(numbers[1]), offset))

    @classmethod
    def unknown(cls, offset: int, oldest: int) -> Self:
        """Where nobody has said anything: some messages before `offset`, the `oldest` there is at most."""
        return cls(max(oldest, offset - UNKNOWN_PAST) if oldest < offset else offset, offset)


class Firsts:
    """The offset of each trace's first message in a partition, of all partitions; the longest quiet go first."""

    def __init__(self, capacity: int = REMEMBERED_TRACES) -> None:
        self._capacity = capacity
        self._offsets: OrderedDict[tuple[int, bytes], int] = OrderedDict()
        self._places = 0

    def place(self) -> int:
        """A number for a partition, each time that it is begun."""
        self._places += 1
        return self._places

    def of(self, place: int, trace_id: bytes, offset: int) -> int:
        """The first offset of the trace there, which may be this one."""
        key = (place, trace_id)
        first = self._offsets.setdefault(key, offset)
        self._offsets.move_to_end(key)
        if len(self._offsets) > self._capacity:
            self._offsets.popitem(last=False)
        return first


@dataclass(slots=True)
class _Block:
    first: int
    written_ms: int


class History:
    """One partition's messages of late, in blocks."""

    def __init__(self, firsts: Firsts, look_back_s: float) -> None:
        self._firsts = firsts
        self._place = firsts.place()
        self._look_back_ms = look_back_s * 1000
        self._blocks: OrderedDict[int, _Block] = OrderedDict()

    def note(self, offset: int, written_ms: int, trace_ids: Iterable[bytes]) -> None:
        """A message that was taken, in the order of offsets; when it was written, by its own timestamp."""
        first = min((self._firsts.of(self._place, one, offset) for one in trace_ids), default=offset)
        block = self._blocks.get(offset // BLOCK)
        if block is None:
            self._blocks[offset // BLOCK] = _Block(first, written_ms)
            if len(self._blocks) > MAX_BLOCKS:
                self._blocks.popitem(last=False)
            return
        block.first = min(block.first, first)
        block.written_ms = max(block.written_ms, written_ms)

    def reaches_back_to(self, watermark: int) -> int:
        """From where whoever starts at the watermark must read to know every trace of which more may come.

        Those are the traces with messages on both sides, and those that had some shortly before it.
        """
        at = watermark // BLOCK
        before = (block.written_ms for number, block in self._blocks.items() if number <= at)
        since = max(before, default=0) - self._look_back_ms
        while self._blocks:
            number, oldest = next(iter(self._blocks.items()))
            if number >= at or oldest.written_ms > since:
                break
            del self._blocks[number]
        needed = (block.first for number, block in self._blocks.items() if number >= at or block.written_ms > since)
        return min(watermark, *needed) if self._blocks else watermark
