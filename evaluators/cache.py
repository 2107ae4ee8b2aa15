"""Verdicts that need not be paid for twice."""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from evaluators.clock import Clock
from evaluators.judges.base import JudgeReply
from evaluators.shared_cache import RedisSettings


class CacheSettings(BaseModel):
    """Where verdicts are kept and how many; without a path they are kept in memory and end with the process.

    `redis` is where several processes share them, beside what each keeps for itself.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    path: Path | None = None
    max_entries: PositiveInt = 100_000
    max_bytes: int = Field(512 << 20, ge=1 << 20)
    ttl_s: float = Field(30 * 86_400.0, gt=0, allow_inf_nan=False)
    redis: RedisSettings | None = None


class Cache(Protocol):
    """Remembers replies by key; never raises, never blocks for long, and forgets rather than grow without bound.

    Only validated replies are put in, never failures. `degraded` says in words what is wrong, None where all is well.
    """

    @property
    def degraded(self) -> str | None: ...

    def get(self, keys: Sequence[bytes]) -> list[JudgeReply | None]:
        """The reply under each of `keys`, None where there is none that can be used."""
        ...

    def put(self, key: bytes, reply: JudgeReply) -> None: ...

    def close(self) -> None:
        """Write what is pending. May be called twice."""
        ...


class MemoryCache:
    """The last `max_entries` replies of this process, each for `ttl_s` seconds."""

    degraded = None

    def __init__(self, clock: Clock, *, max_entries: int = 10_000, ttl_s: float = 30 * 86_400.0) -> None:
        self._clock = clock
        self._max_entries = max_entries
        self._ttl_s = ttl_s
        self._entries: OrderedDict[bytes, tuple[float, JudgeReply]] = OrderedDict()

    def get(self, keys: Sequence[bytes]) -> list[JudgeReply | None]:
        """Look up each key."""
        oldest = self._clock.monotonic() - self._ttl_s
        found = (self._entries.get(key) for key in keys)
        return [entry[1] if entry is not None and entry[0] > oldest else None for entry in found]

    def put(self, key: bytes, reply: JudgeReply) -> None:
        """Remember `reply`, and forget the oldest beyond the bound."""
        self._entries[key] = (self._clock.monotonic(), reply)
        self._entries.move_to_end(key)
        while len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)

    def close(self) -> None:
        """Nothing to write."""
