"""What calls to the small model cost, and how many of its replies can be read.

python -m tests.llm.calls [N]    N samples (default 5), each under both plans
"""

import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

import jsonschema
import orjson

from evaluators.facets import ONLINE_FACETS, Facet
from evaluators.judges.base import JudgeError
from evaluators.judges.openai import OpenAIJudge
from evaluators.sample import RagSample
from evaluators.verdict_schema import verdict_schema
from tests.llm.overheard import Overheard, overheard
from tests.llm.server import fetch, running_llm
from tests.samples import REFUNDS, SHIPPING, WARRANTY, sample

ASKS = {"combined": ONLINE_FACETS} | {facet.value: frozenset({facet}) for facet in Facet if facet in ONLINE_FACETS}
TEXTS = (
    ("Within how many days can I get a refund?", "Within 90 days.", (REFUNDS,)),
    ("How long does delivery take?", "3 to 5 business days within the EU.", (SHIPPING, REFUNDS)),
    ("Is the heating element covered?", "Yes, for two years.", (WARRANTY, SHIPPING, REFUNDS)),
)


def samples(count: int) -> list[RagSample]:
    """The texts in turn."""
    return [
        sample(f"{i:032x}", question=question, answer=answer, chunks=chunks)
        for i, (question, answer, chunks) in enumerate(TEXTS * count)
    ][:count]


def fits_schema(response: dict[str, Any], facets: frozenset[Facet]) -> bool:
    """Whether a reply is what the schema demands, whole."""
    try:
        jsonschema.validate(orjson.loads(response["choices"][0]["message"]["content"]), verdict_schema(facets))
    except (orjson.JSONDecodeError, jsonschema.ValidationError):
        return False
    return True


async def outcome(judge: OpenAIJudge, one: RagSample, facets: frozenset[Facet]) -> str:
    """`read`, or why a reply could not be."""
    try:
        await judge.ask(one, facets)
    except JudgeError as error:
        return f"{error.reason}: {error.detail}" if error.reason == "invalid_verdict" else str(error.reason)
    return "read"


async def measure(base_url: str, asked: Iterable[RagSample], facets: frozenset[Facet]) -> str:
    """A line of the table."""
    outcomes, seconds = Counter[str](), []
    async with overheard(base_url, max_output_tokens=200) as (judge, heard):
        for one in asked:
            started = time.monotonic()
            outcomes[await outcome(judge, one, facets)] += 1
            seconds.append(time.monotonic() - started)
    return f"{_figures(heard, facets)}  {median(seconds):7.1f}  " + ", ".join(
        f"{n} {why}" for why, n in outcomes.items()
    )


def _figures(heard: Overheard, facets: frozenset[Facet]) -> str:
    whole = [one for one in heard.responses if one["choices"][0]["finish_reason"] == "stop"]
    valid = sum(fits_schema(one, facets) for one in whole)
    prompt, written = (
        median(one["usage"][f"{part}_tokens"] for one in heard.responses) for part in ("prompt", "completion")
    )
    return f"{prompt:7.0f} {written:7.0f}  {valid:3d}/{len(whole)}/{len(heard.responses)}"


async def main(count: int) -> None:
    """Print the table."""
    fetch()
    print("asked             in(tok) out(tok)  schema-valid/whole/calls  s(median)  outcomes")
    with tempfile.TemporaryDirectory() as folder, running_llm(Path(folder)) as server:
        for name, facets in ASKS.items():
            print(f"{name:16s}  {await measure(server.base_url, samples(count), facets)}", flush=True)


if __name__ == "__main__":
    asyncio.run(main(int((sys.argv[1:] or ["5"])[0])))
