"""One assigned partition: what was fetched of it, and what of that is done."""

from collections import deque
from collections.abc import Iterable

from aiokafka import ConsumerRecord

from collector.receipts import Receipt, Source


class Partition:
    """Messages that wait to be taken, and the receipts of those that were.

    `committed` is what the group's coordinator has, None where it has nothing. `stopped_until` (monotonic seconds) is
    in the future while a message can be neither taken nor put away.
    """

    def __init__(self, position: int, committed: int | None) -> None:
        self.source = Source(position)
        self.committed = committed
        self.waiting: deque[ConsumerRecord] = deque()
        self.stopped_until = 0.0
        self.paused = False

    @property
    def position(self) -> int:
        """The offset after the last message taken."""
        return self.source.position

    @property
    def to_commit(self) -> int | None:
        """The low watermark, None where it is committed already."""
        watermark = self.source.low_watermark
        return None if watermark == self.committed else watermark

    def suspend(self) -> None:
        """It is revoked, perhaps to come back: take nothing more and close none of its traces."""
        self.waiting.clear()
        self.source.suspended = True

    def resume(self) -> None:
        """It came back, and nobody else had it meanwhile."""
        self.source.suspended = False
        self.paused = False

    def fetched(self, messages: Iterable[ConsumerRecord]) -> None:
        """Take messages as the consumer returned them."""
        self.waiting.extend(messages)

    def receipt(self, message: ConsumerRecord, now: float) -> Receipt:
        """The receipt of the message at the head."""
        # Transaction markers and compaction leave gaps between offsets.
        self.source.position = message.offset
        return Receipt(self.source, message.offset, now)

    def done(self, message: ConsumerRecord) -> None:
        """The message at the head was taken or put away."""
        self.waiting.popleft()
        self.source.position = message.offset + 1

    def is_next(self, message: ConsumerRecord) -> bool:
        """Whether the message is still at the head: a revocation may have come while something was awaited."""
        return bool(self.waiting) and self.waiting[0] is message
