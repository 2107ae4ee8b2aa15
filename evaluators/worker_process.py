"""The parent's end of a worker process."""

import asyncio
import contextlib
import sys
from asyncio.subprocess import PIPE, Process
from typing import Any

import orjson

_BOOT = "import sys; sys.path[:] = sys.argv[1:]; from evaluators.worker import main; main()"
_START_S = 30.0
_MAX_FRAME = 16 << 20


class WorkerDiedError(Exception):
    """The worker ended, or had to be ended, before it answered."""


class WorkerProcess:
    """A process with one judge in it that answers one batch at a time.

    A plain child rather than a process pool: it does not import the parent's main module, costs no threads, and one
    that hangs can be killed alone.
    """

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, judge: bytes) -> "WorkerProcess":
        """Start one for the pickled `judge`. Raises WorkerDiedError where it does not come up."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _BOOT, *sys.path, stdin=PIPE, stdout=PIPE, limit=_MAX_FRAME, start_new_session=True
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(_START_S):
                await worker._exchange(judge)
        except BaseException as error:
            await worker.kill()
            if isinstance(error, TimeoutError):
                raise WorkerDiedError("it did not start in time") from None
            raise
        return worker

    async def judge(self, items: list[Any], timeout_s: float) -> list[dict[str, Any]]:
        """One result per item. Raises WorkerDiedError, or TimeoutError after `timeout_s`; then it is dead."""
        try:
            async with asyncio.timeout(timeout_s):
                results: list[dict[str, Any]] = orjson.loads(await self._exchange(_dump(items)))
        except orjson.JSONDecodeError:
            await self.kill()
            raise WorkerDiedError("it answered in no known form") from None
        except BaseException:
            await self.kill()
            raise
        return results

    async def kill(self) -> None:
        """End it now. May be called twice."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()

    async def _exchange(self, body: bytes) -> bytes:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise WorkerDiedError("it has no pipes")
        try:
            stdin.write(len(body).to_bytes(4, "big") + body)
            await stdin.drain()
            size = int.from_bytes(await stdout.readexactly(4), "big")
            return await stdout.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise WorkerDiedError("it ended before it answered") from None


def _dump(items: list[Any]) -> bytes:
    try:
        return orjson.dumps(items)
    except TypeError:
        return orjson.dumps(_without_surrogates(items))


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return [_without_surrogates(part) for part in value] if isinstance(value, list | tuple) else value
