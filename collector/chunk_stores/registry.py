"""Which store serves which settings."""

from collector.chunk_stores.base import ChunkStore
from collector.chunk_stores.http import HttpStore
from collector.chunk_stores.settings import HttpStoreSettings, SqliteStoreSettings
from collector.chunk_stores.sqlite import SqliteStore


def build_store(settings: HttpStoreSettings | SqliteStoreSettings) -> ChunkStore:
    """The store, not started yet. Raises PermanentError where the environment lacks a token."""
    return HttpStore(settings) if isinstance(settings, HttpStoreSettings) else SqliteStore(settings)
