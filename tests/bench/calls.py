"""What a verdict costs: calls, tokens and time per trace, beside the evaluation libraries, over one counting model.

`python -m tests.bench.calls [--python PYTHON]`, where PYTHON is an interpreter that has ragas, deepeval and trulens.
Faithfulness, answer relevancy, context relevance and context precision of one trace with 5 chunks and 4 claims.
"""

import argparse
import asyncio
import sys
import time
from typing import Literal

from rich.console import Console
from rich.table import Table

from evaluators.cache import MemoryCache
from evaluators.clock import SystemClock
from evaluators.dispatcher import Dispatcher, JudgeLane, Judgement
from evaluators.facets import ONLINE_FACETS, FacetAnswers
from evaluators.judges.openai import OpenAIJudge, OpenAISettings
from tests.bench.calls_of import ANSWER, CHUNKS, QUESTION
from tests.bench.calls_stub import LATENCY_S, CountingModel
from tests.fakes import DispatchCounts
from tests.samples import sample

TRACES = 3
LIBRARIES = ("ragas", "deepeval", "trulens")


async def ours(model: CountingModel, plan: Literal["combined", "separate"], *, new_chunks: bool) -> float:
    """Seconds per trace. Without `new_chunks` question and chunks come again and only the answer is new."""
    judge = OpenAIJudge(OpenAISettings(base_url=model.base_url, model="m", api_key_env=None, plan=plan))
    done: list[Judgement] = []
    clock = SystemClock()
    lanes = {"llm": JudgeLane(judge, plan=plan)}
    dispatcher = Dispatcher(lanes, MemoryCache(clock), done.append, DispatchCounts(), clock)
    await dispatcher.start()
    spent = 0.0
    for number in range(TRACES + 1):
        if number == 1:
            model.reset()
        chunks = tuple(f"{number} {chunk}" for chunk in CHUNKS) if new_chunks else tuple(CHUNKS)
        started = time.perf_counter()
        one = sample(f"{number:032x}", question=QUESTION, chunks=chunks, answer=f"{ANSWER} {number}")
        dispatcher.submit(one, "llm", ONLINE_FACETS, clock.monotonic())
        assert await dispatcher.drain(60) == 0
        spent += (time.perf_counter() - started) * (number > 0)
    await dispatcher.stop()
    assert all(isinstance(judgement.result, FacetAnswers) for judgement in done), done[-1].result
    return spent / TRACES


async def theirs(model: CountingModel, python: str, library: str) -> float | str:
    """Seconds per trace, or in words why it did not run."""
    model.reset()
    process = await asyncio.create_subprocess_exec(
        *(python, "-W", "ignore", "-m", "tests.bench.calls_of", library, model.base_url, str(TRACES)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    if process.returncode:
        return (err.decode("utf-8", "replace").strip().splitlines() or ["it ended"])[-1][:100]
    return float(out.decode().split()[-1])


async def main(python: str) -> None:
    table = Table("judge", "calls / trace", "tokens / trace", "s / trace")
    async with CountingModel() as model:
        for name, plan, new_chunks in (
            ("groundwatch, combined", "combined", True),
            ("groundwatch, separate", "separate", True),
            ("groundwatch, separate, same question and chunks", "separate", False),
        ):
            seconds = await ours(model, plan, new_chunks=new_chunks)
            table.add_row(name, *_figures(model, seconds))
        for library in LIBRARIES:
            result = await theirs(model, python, library)
            row = (result, "", "") if isinstance(result, str) else _figures(model, result)
            table.add_row(library, *row)
    Console(width=100).print(table)
    print(f"5 chunks of 1 KB, 4 claims; a model that takes {LATENCY_S:g} s a call; tokens are bytes / 4")


def _figures(model: CountingModel, seconds: float) -> tuple[str, str, str]:
    return f"{model.calls / TRACES:.1f}", f"{model.tokens / TRACES:,.0f}", f"{seconds:.2f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    asyncio.run(main(parser.parse_args().python))
