"""One assigned partition: what was fetched of it, and what of that is done."""

from collections import deque
from collections.abc import Iterable

from aiokafka import ConsumerRecord

from collector.receipts import Receipt, Source
from collector.receivers.kafka_history import History, Past
from collector.spans import SpanBatch


class Partition:
    """Messages that wait to be taken, and the receipts of those that were.

    What lies before `start` is done and only remembered: `past` says from where on. `committed` is what the group's
    coordinator has, None where it has nothing. `stopped_until` (monotonic seconds) is in the future while a message can
    be neither taken nor put away. Where messages before the start are gone unread, traces that have some within
    `doubt_s` after it are partial.
    """

    def __init__(
        self, start: int, committed: int | None, history: History, past: Past | None = None, doubt_s: float = 0.0
    ) -> None:
        self.source = Source(start)
        self.committed = committed
        self.metadata = ""
        self.waiting: deque[ConsumerRecord] = deque()
        self.stopped_until = 0.0
        self.paused = False
        self._history = history
        self._start = start
        self._past = past or Past(start, start)
        self._recalled: set[bytes] = set()
        self.position = self._past.read_from
        self._doubt_ms = doubt_s * 1000
        self._sure_at: float | None = None

    @property
    def start(self) -> int:
        """Messages before it are done."""
        return self._start

    @property
    def to_commit(self) -> tuple[int, str] | None:
        """The low watermark and what to say of its past, None where both are committed already."""
        watermark = self.source.low_watermark
        if self.position < self._start or (watermark == self.committed and self.position < self._past.done_until):
            return None  # what is committed knows more of the past than is read by now
        done_until = max(watermark, self.source.oldest_late)
        metadata = Past(self._history.reaches_back_to(watermark), done_until).dump()
        return None if (watermark, metadata) == (self.committed, self.metadata) else (watermark, metadata)

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

    def recalls(self, message: ConsumerRecord) -> bool:
        """Whether the message is done and only to be remembered."""
        return bool(message.offset < self._start)

    def is_read_again(self, message: ConsumerRecord) -> bool:
        """Whether somebody took the message before."""
        return bool(message.offset < self._past.done_until)

    def is_doubtful(self, message: ConsumerRecord) -> bool:
        """Whether traces of the message may have had others that are gone: it is among the first that are left."""
        if not self._doubt_ms:
            return False
        if self._sure_at is None:
            self._sure_at = message.timestamp + self._doubt_ms
        if message.timestamp >= self._sure_at:
            self._doubt_ms = 0.0
        return bool(self._doubt_ms)

    def lose_until(self, offset: int, doubt_s: float) -> None:
        """What was to be remembered is gone up to an offset before the start."""
        self.position = offset
        self._doubt_ms = doubt_s * 1000

    def split(self, message: ConsumerRecord, batch: SpanBatch) -> SpanBatch | None:
        """Take the spans of traces that are done out of the batch; what was taken out, if anything."""
        if self.recalls(message):
            self._recalled.update(span.trace_id for span in batch.spans)
            return batch
        if not self.is_read_again(message):
            self._recalled.clear()
        done = [span for span in batch.spans if span.trace_id in self._recalled]
        if not done:
            return None
        batch.spans = [span for span in batch.spans if span.trace_id not in self._recalled]
        batch.received -= len(done)
        return SpanBatch(len(done), done)

    def note(self, message: ConsumerRecord, trace_ids: Iterable[bytes]) -> None:
        """The message was taken and had parts of these traces."""
        self._history.note(message.offset, message.timestamp, trace_ids)

    def receipt(self, message: ConsumerRecord, now: float) -> Receipt:
        """The receipt of the message at the head."""
        # Transaction markers and compaction leave gaps between offsets.
        self.source.position = message.offset
        return Receipt(self.source, message.offset, now)

    def done(self, message: ConsumerRecord) -> None:
        """The message at the head was taken or put away."""
        self.waiting.popleft()
        self.position = message.offset + 1
        self.source.position = max(self._start, self.position)

    def is_next(self, message: ConsumerRecord) -> bool:
        """Whether the message is still at the head: a revocation may have come while something was awaited."""
        return bool(self.waiting) and self.waiting[0] is message
