"""The contract of a chunk store."""

from typing import Protocol

MAX_ID_CHARS = 512


class ChunkStore(Protocol):
    """Knows texts by id.

    `text` returns the text of a document, None where the store has no such document. It raises RetryableError or
    PermanentError where it cannot tell, and may be called many times at once. `start` raises PermanentError for what
    no retry can mend; `close` may be called before it, and twice.
    """

    async def start(self) -> None: ...

    async def text(self, document_id: str) -> str | None: ...

    async def close(self) -> None: ...
