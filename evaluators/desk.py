"""The desk in front of a lane: answers what is known, and asks a question once however many want to know."""

from collections.abc import Callable, Sequence
from functools import partial

from evaluators.cache import Cache
from evaluators.call import Call, CallResult
from evaluators.dispatch_metrics import DispatchMetrics
from evaluators.facets import ChunkRelevance, Facet, FacetAnswers
from evaluators.judges.base import JudgeReply, Usage
from evaluators.lane import Lane
from evaluators.sample import RagSample
from evaluators.verdict_key import relevance_keys, verdict_key

Done = Callable[[CallResult, bool], None]
"""Gets the result and whether it cost no call."""

_RELEVANCE = frozenset({Facet.CHUNK_RELEVANCE})


class Desk:
    """Cache and single flight for one judge.

    Chunk relevance asked alone is remembered per question and chunk, anything else per sample. An entry is good while
    the provider reports the model that gave it: an alias that now points elsewhere is another judge.
    """

    def __init__(self, lane: Lane, identity: str, cache: Cache, metrics: DispatchMetrics) -> None:
        self._lane = lane
        self._identity = identity
        self._cache = cache
        self._metrics = metrics
        self._model: str | None = None
        self._flights: dict[tuple[bytes, ...], list[Done]] = {}

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
            self._lane.offer(Call(sample, facets, deadline, partial(self._landed, keys, facets)))

    def _look_up(self, keys: Sequence[bytes]) -> JudgeReply | None:
        found = [reply for reply in self._cache.get(keys) if reply is not None and self._is_current(reply)]
        if not found or len(found) < len(keys):
            return None
        return found[0] if len(found) == 1 else _joined(found)

    def _is_current(self, reply: JudgeReply) -> bool:
        return reply.model == self._model or reply.model is None or self._model is None

    def _landed(self, keys: tuple[bytes, ...], facets: frozenset[Facet], result: CallResult) -> None:
        if isinstance(result, JudgeReply):
            self._model = result.model
            self._remember(keys, facets, result)
        asker, *joined = self._flights.pop(keys)
        asker(result, False)
        for done in joined:
            done(result, True)

    def _remember(self, keys: tuple[bytes, ...], facets: frozenset[Facet], reply: JudgeReply) -> None:
        if facets != _RELEVANCE:
            self._cache.put(keys[0], reply)
            return
        relevance = reply.answers.chunk_relevance
        if relevance is None or "cut" in reply.flags:
            return
        for key, score in zip(keys, relevance.scores, strict=True):
            answers = FacetAnswers(chunk_relevance=ChunkRelevance((score,)))
            self._cache.put(key, JudgeReply(answers, model=reply.model, flags=reply.flags))


def _joined(replies: Sequence[JudgeReply]) -> JudgeReply:
    """One reply about all chunks from one about each."""
    relevance = (reply.answers.chunk_relevance for reply in replies)
    scores = tuple(score for one in relevance if one is not None for score in one.scores)
    flags = tuple(sorted({flag for reply in replies for flag in reply.flags}))
    return JudgeReply(FacetAnswers(chunk_relevance=ChunkRelevance(scores)), Usage(), replies[0].model, flags)
