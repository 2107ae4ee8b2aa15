"""One call to a judge."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from evaluators.evaluation import Failed, FailReason, Skipped
from evaluators.facets import Facet
from evaluators.judges.base import Judge, JudgeError, JudgeReply, NotJudgedError
from evaluators.sample import RagSample

CallResult = JudgeReply | Skipped | Failed
AttemptResult = JudgeReply | NotJudgedError | JudgeError
"""How one attempt ended; each of them has its usage."""


@dataclass(slots=True, eq=False)
class Call:
    """A question, its attempts so far, and who wants to know.

    `done` is called once, with the end of it. `deadline` is monotonic seconds. `failure` is the last attempt's.
    """

    sample: RagSample
    facets: frozenset[Facet]
    deadline: float
    done: Callable[[CallResult], None]
    attempts: int = 0
    failure: Failed | None = None

    @property
    def label(self) -> str:
        """The facet, or `combined` where several are asked at once."""
        return next(iter(self.facets)).value if len(self.facets) == 1 else "combined"

    def end(self, result: CallResult) -> None:
        """Tell `result`, or what went wrong before where `result` only says that there was no further attempt."""
        self.done(self.failure if self.failure is not None and isinstance(result, Skipped) else result)


async def attempt(judge: Judge, call: Call, timeout_s: float) -> AttemptResult:
    """Ask once; whatever the judge raises becomes a value. Only a cancellation from outside passes through."""
    try:
        async with asyncio.timeout(timeout_s):
            return await judge.ask(call.sample, call.facets)
    except (JudgeError, NotJudgedError) as error:
        return error
    except TimeoutError:
        return JudgeError(FailReason.TIMEOUT, "no answer within the deadline")
    except asyncio.CancelledError:
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise
        return JudgeError(FailReason.ERROR, "the judge cancelled its own call")
    except Exception as error:  # FAULTS 83: one judge's bug is one failed call
        return JudgeError(FailReason.ERROR, type(error).__name__)
