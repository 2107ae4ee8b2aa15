"""The shared cache in Redis or Valkey: replies with an expiry, and a lease on every question that is being asked."""

import asyncio
import contextlib
import hashlib
import logging
import secrets
from collections import deque
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, cast

from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from evaluators.clock import Clock
from evaluators.judges.base import JudgeReply
from evaluators.reply_codec import dump_reply, load_reply
from evaluators.shared_cache import RedisSettings, SharedCacheMetrics

log = logging.getLogger(__name__)

CONNECTIONS = 16
MAX_UNWRITTEN = 1_000
WRITTEN_AT_ONCE = 100
MAX_TIMEOUTS = 5
"""One slow answer is no outage; so many in a row are."""

_FIRST_PAUSE_S, _MAX_PAUSE_S = 0.05, 0.5

# All replies, or 1 where the lease is ours now, or 0 where another has it.
_FIND = """
local found = redis.call('MGET', unpack(KEYS, 2))
for i = 1, #KEYS - 1 do
  if not found[i] then
    if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
    return 0
  end
end
return found
"""

# Replies first, then the lease: whoever waits for it finds them. A lease that has passed to another is left alone.
_FINISH = """
for i = 2, #KEYS do redis.call('SET', KEYS[i], ARGV[i + 1], 'PX', ARGV[2]) end
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""

_RENEW = """
for i = 1, #KEYS do if redis.call('GET', KEYS[i]) == ARGV[1] then redis.call('PEXPIRE', KEYS[i], ARGV[2]) end end
"""


class RedisCache:
    """See SharedCache. A lease lasts `lease_s` and is renewed while its question is being asked.

    After a failure Redis is left alone for `retry_s`: each process then asks for itself.
    """

    def __init__(self, settings: RedisSettings, ttl_s: float, clock: Clock, metrics: SharedCacheMetrics) -> None:
        self.degraded: str | None = None
        self._settings = settings
        self._ttl_ms = int(ttl_s * 1000)
        self._lease_ms = int(settings.lease_s * 1000)
        self._clock = clock
        self._metrics = metrics
        self._owner = secrets.token_bytes(16)
        self._prefix = settings.prefix.encode() + b":"
        self._down_until = 0.0
        self._timeouts = 0
        self._slots = asyncio.Semaphore(CONNECTIONS)
        self._leases: set[bytes] = set()
        self._unwritten: deque[tuple[bytes, Mapping[bytes, JudgeReply]]] = deque()
        self._writing: asyncio.Task[None] | None = None
        self._renewing: asyncio.Task[None] | None = None
        pool = BlockingConnectionPool.from_url(
            settings.read_url(),
            max_connections=CONNECTIONS + 2,  # one writes, one renews: neither waits for those who ask
            timeout=settings.timeout_s,
            socket_timeout=settings.timeout_s,
            socket_connect_timeout=settings.timeout_s,
        )
        self._redis = Redis(connection_pool=pool)
        self._find = self._redis.register_script(_FIND)
        self._finish = self._redis.register_script(_FINISH)
        self._renew = self._redis.register_script(_RENEW)

    async def find(self, keys: Sequence[bytes], patience_s: float) -> list[JudgeReply] | None:
        """Look up, or take the lease, or wait for whoever has it."""
        give_up = self._clock.monotonic() + patience_s
        lease, names, pause = self._lease_of(keys), [self._name_of(key) for key in keys], 0.0
        while True:
            # Whoever finds no free connection waits here: in the pool he would wait for no longer than an answer.
            async with self._slots:
                answer = await self._ask(self._find(keys=[lease, *names], args=[self._owner, self._lease_ms]))
            if answer is None:
                return None
            if answer == 1:
                self._hold(lease)
                return None
            if isinstance(answer, list):
                self._metrics.cache_request("shared_wait" if pause else "shared_hit")
                return self._replies(answer)
            if self._clock.monotonic() >= give_up:
                return None
            pause = min(pause * 2 or _FIRST_PAUSE_S, _MAX_PAUSE_S)
            await asyncio.sleep(pause)

    def finish(self, keys: Sequence[bytes], replies: Mapping[bytes, JudgeReply]) -> None:
        """Write in the background; beyond a bound it is dropped and counted."""
        lease = self._lease_of(keys)
        self._leases.discard(lease)
        if len(self._unwritten) >= MAX_UNWRITTEN or self._is_down:
            self._dropped(replies)
            return
        self._unwritten.append((lease, replies))
        if not self.is_writing:
            self._writing = asyncio.get_running_loop().create_task(self._write_all(), name="write verdicts")

    async def aclose(self) -> None:
        """Finish what is being written, let go of the leases, close the connections."""
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.wait({self._renewing})
            self._renewing = None
        if self._writing is not None:
            await asyncio.wait({self._writing}, timeout=self._settings.timeout_s)
            self._writing.cancel()
        leases, self._leases = self._leases, set()
        self._unwritten.extend((lease, {}) for lease in leases)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settings.timeout_s):
                await self._write_all()
        with contextlib.suppress(RedisError, OSError):
            await self._redis.aclose()

    @property
    def is_writing(self) -> bool:
        """Whether there are replies that Redis does not have yet."""
        return self._writing is not None and not self._writing.done()

    @property
    def _is_down(self) -> bool:
        return self._clock.monotonic() < self._down_until

    def _name_of(self, key: bytes) -> bytes:
        return self._prefix + key

    def _lease_of(self, keys: Sequence[bytes]) -> bytes:
        question = keys[0] if len(keys) == 1 else hashlib.sha256(b"".join(keys)).digest()
        return self._prefix + b"lease:" + question

    async def _ask(self, call: Awaitable[Any]) -> Any:
        """The answer of a script, None where there is none."""
        if self._is_down:
            cast("Any", call).close()
            return None
        try:
            answer = await call
        except (RedisError, OSError, TimeoutError) as error:
            self._failed(error)
            return None
        self._timeouts = 0
        if self.degraded is not None:
            log.info("the shared cache works again")
            self.degraded = None
        return answer

    def _failed(self, error: Exception) -> None:
        self._metrics.cache_request("error")
        if isinstance(error, TimeoutError | RedisTimeoutError):
            self._timeouts += 1
            if self._timeouts < MAX_TIMEOUTS:
                return
        self._down_until = self._clock.monotonic() + self._settings.retry_s
        if self.degraded is None:
            log.warning("the shared cache does not answer (%s): verdicts are asked for anew", type(error).__name__)
        self.degraded = f"Redis: {type(error).__name__}"

    def _replies(self, answer: list[bytes]) -> list[JudgeReply] | None:
        try:
            return [load_reply(data) for data in answer]
        except (ValueError, KeyError, TypeError):
            self._metrics.cache_request("error")
            return None

    async def _write_all(self) -> None:
        """Write what waits, much at once: whoever dies before has it paid for again."""
        while self._unwritten:
            batch = [self._unwritten.popleft() for _ in range(min(WRITTEN_AT_ONCE, len(self._unwritten)))]
            async with self._redis.pipeline(transaction=False) as pipe:
                for lease, replies in batch:
                    await self._add_to(pipe, lease, replies)
                if await self._ask(pipe.execute()) is None:
                    for _, replies in batch:
                        self._dropped(replies)

    def _dropped(self, replies: Mapping[bytes, JudgeReply]) -> None:
        """A lease alone expires by itself."""
        if replies:
            self._metrics.cache_request("write_dropped")

    async def _add_to(self, pipe: Any, lease: bytes, replies: Mapping[bytes, JudgeReply]) -> None:
        values = []
        with contextlib.suppress(TypeError):  # a reply that is no JSON is not remembered
            values = [dump_reply(reply) for reply in replies.values()]
        names = [self._name_of(key) for key in replies] if values else []
        await self._finish(keys=[lease, *names], args=[self._owner, self._ttl_ms, *values], client=pipe)

    def _hold(self, lease: bytes) -> None:
        self._leases.add(lease)
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.get_running_loop().create_task(self._renew_leases(), name="renew leases")

    async def _renew_leases(self) -> None:
        while self._leases:
            await asyncio.sleep(self._settings.lease_s / 3)
            if leases := list(self._leases):
                await self._ask(self._renew(keys=leases, args=[self._owner, self._lease_ms]))
