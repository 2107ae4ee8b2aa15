"""A worker process: judges what comes in on stdin, answers on stdout, and ends with its stdin.

It imports little, so that it starts fast and stays small. Frames are a length (4 bytes, big-endian) and a body: the
first is the pickled judge, the others are JSON lists of items, answered by a JSON list of as many results.
"""

import os
import pickle
import signal
from collections.abc import Coroutine
from typing import Any, BinaryIO

import orjson

from evaluators.evaluation import FailReason
from evaluators.facets import Facet
from evaluators.judges.base import JudgeError, JudgeReply, NotJudgedError
from evaluators.sample import Chunk, RagSample, Readiness


def main() -> None:
    """Serve until stdin ends: with the parent, however it ends."""
    # A terminal's Ctrl-C and a supervisor's SIGTERM go to the whole group; the parent decides when we end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    requests, replies = _take_over_stdio()
    judge = pickle.loads(_read(requests))  # noqa: S301 from our parent, before any content
    _write(replies, b"[]")
    while frame := _read(requests):
        _write(replies, orjson.dumps([_judge(judge, item) for item in orjson.loads(frame)]))


def _take_over_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Keep the pipes to ourselves: what a library prints goes to stderr, and nothing else reads our frames."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return requests, replies


def _judge(judge: Any, item: list[Any]) -> dict[str, Any]:
    facets, question, answer, chunks = item
    sample = RagSample("", "", Readiness.RAG, question, tuple(Chunk(*chunk) for chunk in chunks), answer)
    try:
        return {"reply": _at_once(judge.ask(sample, frozenset(map(Facet, facets))))}
    except JudgeError as error:
        return {"failed": error.reason, "detail": error.detail}
    except NotJudgedError as skip:
        return {"skipped": skip.reason}
    except Exception as error:  # one sample's failure is not its neighbours'
        return {"failed": FailReason.ERROR, "detail": type(error).__name__}


def _at_once(asked: Coroutine[Any, Any, JudgeReply]) -> JudgeReply:
    """Run a coroutine that never waits: an event loop would only cost."""
    try:
        asked.send(None)
    except StopIteration as done:
        reply: JudgeReply = done.value
        return reply
    asked.close()
    raise TypeError("a pooled judge computes; it does not wait")


def _read(stream: BinaryIO) -> bytes:
    size = stream.read(4)
    return stream.read(int.from_bytes(size, "big")) if len(size) == 4 else b""


def _write(stream: BinaryIO, body: bytes) -> None:
    stream.write(len(body).to_bytes(4, "big") + body)
    stream.flush()


if __name__ == "__main__":
    main()
