"""The desk in front of a lane: answers what is known, and asks a question once however many want to know."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from evaluators.cache import Cache
from evaluators.call import Call, CallResult
from evaluators.dispatch_metrics import DispatchMetrics
from evaluators.facets import ChunkRelevance, Facet, FacetAnswers
from evaluators.judges.base import JudgeReply, Usage
from evaluators.lane import Lane
from evaluators.sample import RagSample
from evaluators.shared_cache import SharedCache
from evaluators.verdict_key import relevance_keys, verdict_key

Done = Callable[[CallResult, bool], None]
"""Gets the result and whether it cost no call."""

MAX_ELSEWHERE = 1_000
"""Questions that may wait for the shared cache; beyond them the judge is asked without looking there."""

PATIENCE_S = 30.0
"""How long to wait for the verdict that another process is asking for."""

_RELEVANCE = frozenset({Facet.CHUNK_RELEVANCE})


class Desk:
    """Cache and single flight for one judge, over all processes where there is a shared cache.

    Chunk relevance asked alone is remembered per question and chunk, anything else per sample. An entry is good while
    the provider reports the model that gave it: an alias that now points elsewhere is another judge.
    """

    def __init__(
        self, lane: Lane, identity: str, cache: Cache, metrics: DispatchMetrics, shared: SharedCache | None = None
    ) -> None:
        self._lane = lane
        self._identity = identity
        self._cache = cache
        self._metrics = metrics
        self._model: str | None = None
        self._flights: dict[tuple[bytes, ...], list[Done]] = {}
        self._shared = shared
        self._elsewhere: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        """Questions that wait for the shared cache."""
        return len(self._elsewhere)

    async def stop(self) -> None:
        """Wait for the shared cache no longer."""
        tasks = list(self._elsewhere)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def ask(self, sample: RagSample, facets: frozenset[Facet], deadline: float, done: Done) -> None:
        """Answer from the cache, join the call that asks the same, or make it."""
        if facets == _RELEVANCE:
            keys = tuple(relevance_keys(self._identity, sample))
        else:
            keys = (verdict_key(self._identity, facets, sample),)
        if (known := self._look_up(keys)) is not None:
            self._metrics.cache_request("hit")
            done(known, True)
        elif (waiting := self._flights.get(keys)) is not None:
            self._metrics.cache_request("joined")
            waiting.append(done)
        else:
            self._metrics.cache_request("miss")
            self._flights[keys] = [done]
            self._make(keys, Call(sample, facets, deadline, partial(self._landed, keys, facets)))

    def _make(self, keys: tuple[bytes, ...], call: Call) -> None:
        if self._shared is None or len(self._elsewhere) >= MAX_ELSEWHERE:
            self._lane.offer(call)
            return
        task = asyncio.get_running_loop().create_task(self._look_elsewhere(self._shared, keys, call))
        self._elsewhere.add(task)
        task.add_done_callback(self._elsewhere.discard)

    async def _look_elsewhere(self, shared: SharedCache, keys: tuple[bytes, ...], call: Call) -> None:
        found = await shared.find(keys, PATIENCE_S)
        known = self._joined_if_complete(keys, found or [])
        if known is None:
            self._lane.offer(call)
            return
        for key, reply in zip(keys, found or [], strict=True):
            self._cache.put(key, reply)
        for done in self._flights.pop(keys):
            done(known, True)

    def _look_up(self, keys: Sequence[bytes]) -> JudgeReply | None:
        return self._joined_if_complete(keys, self._cache.get(keys))

    def _joined_if_complete(self, keys: Sequence[bytes], replies: Sequence[JudgeReply | None]) -> JudgeReply | None:
        found = [reply for reply in replies if reply is not None and self._is_current(reply)]
        if not found or len(found) < len(keys):
            return None
        return found[0] if len(found) == 1 else _joined(found)

    def _is_current(self, reply: JudgeReply) -> bool:
        return reply.model == self._model or reply.model is None or self._model is None

    def _landed(self, keys: tuple[bytes, ...], facets: frozenset[Facet], result: CallResult) -> None:
        replies: Mapping[bytes, JudgeReply] = {}
        if isinstance(result, JudgeReply):
            self._model = result.model
            replies = _entries(keys, facets, result)
            for key, reply in replies.items():
                self._cache.put(key, reply)
        if self._shared is not None:
            self._shared.finish(keys, replies)
        asker, *joined = self._flights.pop(keys)
        asker(result, False)
        for done in joined:
            done(result, True)


def _entries(keys: Sequence[bytes], facets: frozenset[Facet], reply: JudgeReply) -> dict[bytes, JudgeReply]:
    """What to remember of a reply, by key."""
    if facets != _RELEVANCE:
        return {keys[0]: reply}
    relevance = reply.answers.chunk_relevance
    if relevance is None or "cut" in reply.flags:
        return {}
    return {
        key: JudgeReply(FacetAnswers(chunk_relevance=ChunkRelevance((score,))), model=reply.model, flags=reply.flags)
        for key, score in zip(keys, relevance.scores, strict=True)
    }


def _joined(replies: Sequence[JudgeReply]) -> JudgeReply:
    """One reply about all chunks from one about each."""
    relevance = (reply.answers.chunk_relevance for reply in replies)
    scores = tuple(score for one in relevance if one is not None for score in one.scores)
    flags = tuple(sorted({flag for reply in replies for flag in reply.flags}))
    return JudgeReply(FacetAnswers(chunk_relevance=ChunkRelevance(scores)), Usage(), replies[0].model, flags)
