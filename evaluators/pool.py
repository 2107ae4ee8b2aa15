"""Runs a CPU-bound judge in worker processes, so that the event loop that receives never waits for a judge."""

import asyncio
import logging
import os
import pickle
from collections import deque
from dataclasses import dataclass
from typing import Any

from evaluators.errors import PermanentError
from evaluators.evaluation import FailReason, SkipReason
from evaluators.facets import Facet
from evaluators.judges.base import Judge, JudgeError, JudgeReply, NotJudgedError
from evaluators.reply_codec import reply_from
from evaluators.sample import RagSample
from evaluators.worker_process import WorkerDiedError, WorkerProcess

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Item:
    request: list[Any]
    answer: asyncio.Future[JudgeReply]
    failed_before: bool = False


class PooledJudge:
    """A judge whose `ask` computes without waiting, run in up to `workers` processes, started when there is work.

    It can be pickled, comes from an importable module, and looks at question, context and answer only.

    Samples that wait travel together, up to `batch` a trip. A sample whose worker dies or takes over `timeout_s` is
    tried once more, alone, so that it can harm no other; then it has failed.
    """

    remote = False

    def __init__(self, judge: Judge, *, workers: int | None = None, batch: int = 16, timeout_s: float = 10.0) -> None:
        if type(judge).__module__ == "__main__":
            raise PermanentError("a pooled judge belongs in a module: workers do not run the main script")
        self.identity = judge.identity
        self.facets = judge.facets
        self._pickled = pickle.dumps(judge)
        self._max_workers = workers or max(1, min(4, (os.cpu_count() or 2) - 1))
        self._batch = batch
        self._timeout_s = timeout_s
        self._waiting: deque[_Item] = deque()
        self._suspects: deque[_Item] = deque()
        self._filled = asyncio.Event()
        self._workers: set[asyncio.Task[None]] = set()
        self._idle = 0

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        """Judge in a worker."""
        item = _Item(_request(sample, facets), asyncio.get_running_loop().create_future())
        self._waiting.append(item)
        self._filled.set()
        if not self._idle and len(self._workers) < self._max_workers:
            self._hire()
        return await item.answer

    async def aclose(self) -> None:
        """End all workers; what they were asked fails. May be called twice."""
        workers = list(self._workers)
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        self._fail_waiting(_closed())

    def _hire(self) -> None:
        task = asyncio.get_running_loop().create_task(self._work())
        self._workers.add(task)
        task.add_done_callback(self._left)

    def _left(self, task: asyncio.Task[None]) -> None:
        """A worker's task has ended. Where that was a mistake of ours, nobody waits for what it would have done."""
        self._workers.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a worker's task ended", exc_info=error)
            self._fail_waiting(JudgeError(FailReason.ERROR, type(error).__name__))

    def _fail_waiting(self, error: JudgeError) -> None:
        _fail([*self._waiting, *self._suspects], error)
        self._waiting.clear()
        self._suspects.clear()

    async def _work(self) -> None:
        """A worker's life: start, judge batches, start again after a death; gives up where it cannot start."""
        process: WorkerProcess | None = None
        try:
            while batch := await self._next_batch():
                try:
                    process = process or await WorkerProcess.start(self._pickled)
                except (WorkerDiedError, OSError) as error:
                    unavailable = JudgeError(FailReason.UNAVAILABLE, f"worker process: {error}", retryable=True)
                    _fail(batch, unavailable)
                    self._fail_waiting(unavailable)
                    return
                process = await self._serve(process, batch)
        finally:
            if process is not None:
                await process.kill()

    async def _serve(self, process: WorkerProcess, batch: list[_Item]) -> WorkerProcess | None:
        try:
            results = await process.judge([item.request for item in batch], self._timeout_s)
        except asyncio.CancelledError:
            _fail(batch, _closed())
            raise
        except WorkerDiedError:
            self._suspect(batch, JudgeError(FailReason.ERROR, "the worker process died on this sample"))
            return None
        except TimeoutError:
            self._suspect(batch, JudgeError(FailReason.TIMEOUT, f"over {self._timeout_s:g} s of computing"))
            return None
        for item, result in zip(batch, results, strict=True):
            _settle(item, result)
        return process

    async def _next_batch(self) -> list[_Item]:
        """Wait for work; a share of what waits, so that the other workers get theirs. Suspects travel alone."""
        while True:
            if self._suspects:
                return [self._suspects.popleft()]
            share = min(self._batch, -(-len(self._waiting) // self._max_workers))
            batch = [item for _ in range(share) if not (item := self._waiting.popleft()).answer.done()]
            if batch:
                return batch
            if not self._waiting:
                await self._rest()

    async def _rest(self) -> None:
        self._filled.clear()
        self._idle += 1
        try:
            await self._filled.wait()
        finally:
            self._idle -= 1

    def _suspect(self, batch: list[_Item], error: JudgeError) -> None:
        _fail([item for item in batch if item.failed_before], error)
        for item in batch:
            if not item.failed_before:
                item.failed_before = True
                self._suspects.append(item)
        self._filled.set()


def _request(sample: RagSample, facets: frozenset[Facet]) -> list[Any]:
    chunks = [(c.text, c.id, c.score, c.source, c.span_id, c.truncated) for c in sample.chunks]
    return [tuple(facets), sample.question, sample.answer, chunks]


def _closed() -> JudgeError:
    return JudgeError(FailReason.UNAVAILABLE, "the judge is closed")


def _settle(item: _Item, result: dict[str, Any]) -> None:
    if item.answer.done():
        return
    try:
        item.answer.set_result(_reply(result))
    except (JudgeError, NotJudgedError) as error:
        item.answer.set_exception(error)
    except (KeyError, TypeError, ValueError) as error:
        item.answer.set_exception(JudgeError(FailReason.ERROR, type(error).__name__))


def _reply(result: dict[str, Any]) -> JudgeReply:
    if "failed" in result:
        raise JudgeError(FailReason(result["failed"]), str(result["detail"]))
    if "skipped" in result:
        raise NotJudgedError(SkipReason(result["skipped"]))
    return reply_from(result["reply"])


def _fail(batch: list[_Item], error: JudgeError) -> None:
    for item in batch:
        if not item.answer.done():
            item.answer.set_exception(error)
