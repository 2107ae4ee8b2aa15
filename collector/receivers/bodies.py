"""Request bodies, plain or out of gzip: never more of one than its limit, nor of all than the pool."""

from types import TracebackType
from typing import Self

from isal import isal_zlib

from collector.status import Reason, RefusedError
from evaluators.errors import RetryableError

_GZIP = 31
_MAGIC = b"\x1f\x8b"
_STEP = 256 << 10
"""Bytes inflated at a time: a bomb is noticed before it has grown past the limit by more than this."""


class Pool:
    """The memory for bodies that are being read or decoded, over all connections."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.held = 0

    def hold(self, size: int) -> None:
        """Take `size` more bytes; raises RetryableError above the limit."""
        self.held += size
        if self.held > self._limit:
            raise RetryableError("too many requests are under way", retry_after=1.0)

    def release(self, size: int) -> None:
        """Give `size` bytes back."""
        self.held -= size


class Body:
    """Gathers the chunks of a request body, as a context that holds its share of the pool.

    `add` raises RefusedError once they are more than `limit` bytes, RetryableError where the pool is used up.
    """

    def __init__(self, limit: int, pool: Pool) -> None:
        self._limit = limit
        self._pool = pool
        self._chunks: list[bytes] = []
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._chunks.clear()
        self._pool.release(self._size)

    def add(self, chunk: bytes) -> None:
        """Take the next chunk as it came over the wire."""
        self._size += len(chunk)
        self._pool.hold(len(chunk))
        if self._size > self._limit:
            raise too_large(self._limit)
        self._chunks.append(chunk)

    def finish(self) -> bytes:
        """The whole body."""
        return self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)


class GzipBody(Body):
    """The same of a gzip stream, which may have several members (RFC 1952, 2.2). The limit is on both sides of it."""

    def __init__(self, limit: int, pool: Pool) -> None:
        super().__init__(limit, pool)
        self._inflater = isal_zlib.decompressobj(wbits=_GZIP)
        self._compressed = 0

    def add(self, chunk: bytes) -> None:
        """Inflate the next chunk."""
        self._compressed += len(chunk)
        if self._compressed > self._limit:
            raise too_large(self._limit)
        while chunk or not self._inflater.eof:
            if self._inflater.eof:
                self._next_member(chunk)
            inflated = self._inflate(chunk)
            super().add(inflated)
            chunk = self._inflater.unused_data or self._inflater.unconsumed_tail
            if not chunk and len(inflated) < _STEP:
                return

    def _inflate(self, chunk: bytes) -> bytes:
        try:
            return bytes(self._inflater.decompress(chunk, _STEP))
        except isal_zlib.error:  # type: ignore[misc]  # its stub declares an instance
            raise _bad_gzip() from None

    def finish(self) -> bytes:
        """The whole body; raises RefusedError where the stream broke off."""
        if not self._inflater.eof:
            raise _bad_gzip()
        return super().finish()

    def _next_member(self, chunk: bytes) -> None:
        if not _MAGIC.startswith(chunk[:2]):
            raise _bad_gzip()
        self._inflater = isal_zlib.decompressobj(wbits=_GZIP)


def too_large(limit: int) -> RefusedError:
    """The refusal of a body over the limit."""
    return RefusedError(Reason.TOO_LARGE, f"the request is larger than {limit} bytes: send smaller batches")


def _bad_gzip() -> RefusedError:
    return RefusedError(Reason.DECODE_ERROR, "the body is not a complete gzip stream")
