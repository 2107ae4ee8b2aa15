"""Where texts are looked up. Addresses and queries come from the configuration alone, never from a trace."""

import os
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from evaluators.errors import PermanentError

_ID = "{id}"


class _Lookup(BaseModel):
    """Bounds that every store has."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    timeout_s: float = Field(2.0, gt=0, le=60, description="for one document")
    concurrency: int = Field(8, ge=1, le=256, description="documents looked up at once")
    max_pending: int = Field(1000, ge=1, le=100_000, description="traces that wait; further ones go on without texts")
    max_chunks: int = Field(50, ge=1, le=1000, description="documents looked up for one trace")
    max_text_bytes: int = Field(256 << 10, ge=1 << 10, le=16 << 20, description="a larger document is a failure")
    cache_bytes: int = Field(32 << 20, ge=0, le=1 << 30, description="texts kept in memory")
    cache_ttl_s: float = Field(300.0, gt=0, le=86_400, description="a text is asked for again after this long")


class HttpStoreSettings(_Lookup):
    """HTTP GET of a URL. `{id}` in its path or query stands for the quoted id."""

    type: Literal["http"]
    url: str = Field(max_length=2048)
    token_env: str | None = Field(None, description="environment variable with a bearer token")
    json_path: str | None = Field(
        None, min_length=1, description="where in a JSON answer the text is; unset: all of it"
    )

    @field_validator("url")
    @classmethod
    def _template(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url must start with http:// or https:// and a host")
        if url.count(_ID) != 1 or _ID not in parts.path + parts.query:
            raise ValueError("url must hold {id} once, in its path or query")
        if parts.username or parts.password:
            raise ValueError("url must hold no password: set token_env")
        return url

    def read_token(self) -> str | None:
        """The bearer token. Raises PermanentError where the environment lacks it."""
        if self.token_env is None:
            return None
        token = os.environ.get(self.token_env)
        if not token:
            raise PermanentError(f"token_env: the environment variable {self.token_env} is not set")
        return token


class SqliteStoreSettings(_Lookup):
    """One query on an SQLite file, which is opened for reading only."""

    type: Literal["sqlite"]
    path: Path
    query: str = Field(max_length=4096, description="gives the text in its first column; `:id` stands for the id")

    @field_validator("query")
    @classmethod
    def _parameter(cls, query: str) -> str:
        if ":id" not in query:
            raise ValueError("query must hold the parameter :id")
        return query


ChunkStoreSettings = Annotated[HttpStoreSettings | SqliteStoreSettings, Field(discriminator="type")]
