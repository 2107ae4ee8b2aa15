"""Verdicts that are shared between processes, and the settings of the Redis that keeps them."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from evaluators.clock import Clock
from evaluators.errors import PermanentError
from evaluators.judges.base import JudgeReply

_URL = re.compile(r"(redis|rediss|unix)://.+")


class RedisSettings(BaseModel):
    """A Redis or Valkey server (no cluster) that all workers of a group use."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    url: SecretStr | None = Field(None, description="redis://host:6379/0; rediss:// for TLS")
    url_env: str | None = Field(None, description="environment variable that holds the URL, where it has a password")
    prefix: str = Field("groundwatch", pattern="^[A-Za-z0-9_.-]{1,64}$")
    lease_s: float = Field(
        10.0, ge=1, le=600, description="after a worker's death others wait this long for its verdict"
    )
    timeout_s: float = Field(1.0, gt=0, le=30, description="an answer that takes longer is not waited for")
    retry_s: float = Field(5.0, gt=0, le=600, description="pause after a failure; meanwhile it is not asked")

    @model_validator(mode="after")
    def _one_url(self) -> Self:
        if (self.url is None) == (self.url_env is None):
            raise ValueError("set url or url_env")
        if self.url is not None and not _URL.fullmatch(self.url.get_secret_value()):
            raise ValueError("url must begin with redis://, rediss:// or unix://")
        return self

    def read_url(self) -> str:
        """The URL. Raises PermanentError where the environment lacks it."""
        if self.url is not None:
            return self.url.get_secret_value()
        url = os.environ.get(self.url_env or "", "")
        if not _URL.fullmatch(url):
            raise PermanentError(f"url_env: the environment variable {self.url_env} holds no redis:// URL")
        return url


class SharedCacheMetrics(Protocol):
    """`result` is shared_hit, shared_wait, write_dropped or error."""

    def cache_request(self, result: str) -> None: ...


class SharedCache(Protocol):
    """Remembers replies for all processes and lets one of them at a time ask. Never raises; down means slower only.

    `degraded` says in words what is wrong, None where all is well.
    """

    @property
    def degraded(self) -> str | None: ...

    async def find(self, keys: Sequence[bytes], patience_s: float) -> list[JudgeReply] | None:
        """The replies under all of `keys`; None says: ask the judge yourself, and then call `finish`.

        Where another process is asking just now its answer is waited for, up to `patience_s` seconds.
        """
        ...

    def finish(self, keys: Sequence[bytes], replies: Mapping[bytes, JudgeReply]) -> None:
        """The judge was asked about `keys`; `replies` are to be remembered, none where it failed. Does not wait."""
        ...

    async def aclose(self) -> None:
        """Write what is pending and let go of the leases. May be called twice."""
        ...


def open_shared_cache(
    settings: RedisSettings | None, ttl_s: float, clock: Clock, metrics: SharedCacheMetrics
) -> SharedCache | None:
    """The shared cache, where one is configured. Raises PermanentError where its library is missing."""
    if settings is None:
        return None
    try:
        from evaluators.cache_redis import RedisCache
    except ModuleNotFoundError as error:
        message = "Redis is configured and its library is not installed: pip install 'groundwatch[redis]'"
        raise PermanentError(message) from error
    return RedisCache(settings, ttl_s, clock, metrics)
