"""From a real exporter to a real model and back into `/metrics`, by the command and a configuration like users'."""

import asyncio
import functools
import sys
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.llm.server import MODEL, LlmServer
from tests.monitor import Monitor, monitor
from tests.servers import until

APP = Path(__file__).parents[1] / "e2e" / "apps" / "plain_app.py"
METRICS = ("answer_relevancy", "context_relevance")
"""A call each."""


def values(running: Monitor, name: str, **labels: str) -> dict[tuple[str, ...], float]:
    """The samples of a series that have `labels`, by what other labels they have."""
    samples = (one for family in text_string_to_metric_families(running.get("/metrics")) for one in family.samples)
    return {
        tuple(value for label, value in one.labels.items() if label not in labels): one.value
        for one in samples
        if one.name == f"groundwatch_{name}" and labels.items() <= one.labels.items()
    }


async def send_until_scored(running: Monitor) -> None:
    """What the model says of one trace is chance: most verdicts can be used, and no five are all useless."""
    for number in range(1, 6):
        app = await asyncio.create_subprocess_exec(sys.executable, str(APP), running.http, f"Within {number}0 days.")
        assert await app.wait() == 0
        await until(functools.partial(judged, running, number), 100)
        if values(running, "score_count", metric="answer_relevancy", judge="local"):
            return
    pytest.fail(f"no score: {values(running, 'evaluations_total')}")


def judged(running: Monitor, number: int) -> bool:
    """Whether all traces so far have an outcome for each metric."""
    outcomes = values(running, "evaluations_total", service="plain-shop")
    return all(sum(n for (name, *_), n in outcomes.items() if name == metric) == number for metric in METRICS)


def used(server: LlmServer) -> dict[tuple[str, ...], float]:
    """Tokens by direction, as the server counts them."""
    read = server.count("prompt_tokens_total") + server.count("prompt_tokens_cached_total")
    return {("input",): read, ("output",): server.count("tokens_predicted_total")}


@pytest.mark.timeout(600)
async def test_a_trace_of_an_application_is_scored_by_a_real_model(llm: LlmServer, tmp_path: Path) -> None:
    judge = {
        "type": "openai",
        "name": "local",
        "base_url": llm.base_url,
        "model": MODEL,
        "api_key_env": None,
        "plan": "separate",
        "max_output_tokens": 50,
        "timeout_s": 120,
    }
    lane = {"concurrency": 1, "deadline_s": 240}
    judges = [{"judge": judge, "lane": lane, "metrics": list(METRICS)}]
    before = used(llm)
    with monitor(tmp_path, judges=judges, assembly={"grace_s": 0.2}) as running:
        await send_until_scored(running)
        assert 0 <= values(running, "score_sum", metric="answer_relevancy", judge="local")["plain-shop",] <= 1
        told = values(running, "judge_tokens_total", judge="local")
        assert running.stop() == 0
    assert told == {direction: count - before[direction] for direction, count in used(llm).items()}
