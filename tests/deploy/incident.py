"""Makes the README's pictures from real runs: an incident on the live stack, drawn as dashboards and as the alert that
arrives, and troubles of the scaled stack, drawn as the monitor's own dashboard.

python -m tests.deploy.incident --out deploy/pictures --minutes 6
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from deploy.pictures.render import DASHBOARDS, DEFAULTS, render
from deploy.pictures.source import Prometheus
from deploy.pictures.terminal import terminal
from tests.deploy.kafka_stack import kafka_stack
from tests.deploy.replay import replay
from tests.deploy.shipped import SERVICE
from tests.deploy.stack import Customers, stack
from tests.deploy.troubles import Troubles
from tests.kafka.broker import running_broker
from tests.kafka.topics import topics_on

QUIET, INCIDENT = 0.03, 0.75
"""Shares of wrong answers."""

OTHERS = {"help-desk": 0.01, "hr-assistant": 0.04}
"""Services that go on as usual, with their share of wrong answers."""

NEW = 0.02
"""The share of questions that a language model has to judge; within its budget of calls, or nearly so."""

ROWS = {
    "fleet": ("Now", "Quality", "Alerts"),
    "judges": (),
    "service": ("Now", "Scores", "Where it goes wrong", "Slices", "Worst traces"),
    "monitor": ("Now", "In", "Out", "Process", "Kafka"),
}
"""The rows that the pictures show; where none are named, all."""

SHOWN = {"judges": {"judge": ".*"}}
"""What variables stand for besides their defaults."""

FIRST_SCRAPE_S = 8.0


async def incident(out: Path, folder: Path, minutes: float) -> None:
    """Quiet for a third, wrong for a third, good again for a third."""
    async with stack(folder) as running:
        began = time.time() + FIRST_SCRAPE_S
        with as_usual(running.monitor.grpc), Customers(running.monitor.grpc, 8, new=NEW) as customers:
            for share in (QUIET, INCIDENT, QUIET):
                customers.wrong = share
                await asyncio.sleep(minutes * 20)
            draw(out, ("fleet", "judges", "service"), running.prometheus, began)
        (out / "alert.svg").write_text(terminal("alert-inbox", _first_alerts(running.received())))


async def troubles(out: Path, folder: Path, minutes: float) -> None:
    """Quiet, then a slow judge, a lost worker and messages that nobody can read, then quiet again."""
    with running_broker(folder / "kafka") as broker:
        async with kafka_stack(folder, broker.address, str) as running, topics_on(broker.address) as topics:
            front, goes_wrong = running.scaled.front, Troubles(running, topics)
            began = time.time() + FIRST_SCRAPE_S
            with as_usual(front.grpc), Customers(front.grpc, pace=8, wrong=QUIET):
                await asyncio.sleep(minutes * 15)
                await asyncio.to_thread(replay, front.http, floods=100)
                await goes_wrong.bad_messages(1)
                await goes_wrong.slow_judge(1000)
                await asyncio.sleep(minutes * 5)
                await goes_wrong.dead_letters()
                await goes_wrong.lost_worker()
                await goes_wrong.mend()
                await asyncio.sleep(minutes * 15)
                draw(out, ("monitor",), running.prometheus, began)


@contextmanager
def as_usual(endpoint: str) -> Iterator[None]:
    """The other services' customers."""
    with ExitStack() as others:
        for service, wrong in OTHERS.items():
            others.enter_context(Customers(endpoint, 2, service, wrong))
        yield


def draw(out: Path, names: Sequence[str], prometheus: str, began: float) -> None:
    """A picture of each dashboard named."""
    end, source = time.time(), Prometheus(prometheus)
    variables = DEFAULTS | {"service": SERVICE, "__rate_interval": "15s", "__range": f"{end - began:.0f}s"}
    for name in names:
        board = json.loads((DASHBOARDS / f"{name}.json").read_text())
        chosen = variables | SHOWN.get(name, {})
        (out / f"{name}.svg").write_text(render(board, source, chosen, began, end, ROWS[name]))


def _first_alerts(received: str) -> list[str]:
    """The ticket with its evidence, then the page and its end."""
    alerts = ["FIRING" + text for text in received.replace("RESOLVED", "FIRING\0").split("FIRING")[1:]]
    alerts = [
        alert.replace("FIRING\0", "RESOLVED").rstrip()
        for alert in alerts
        if f"service={SERVICE} judge=lexical" in alert
    ]
    starts = ("FIRING ticket: contradicted_claim", "FIRING page: GroundwatchLowFaithfulness",
              "RESOLVED page: GroundwatchLowFaithfulness")  # fmt: skip
    chosen = [next((alert for alert in alerts if alert.startswith(start)), "") for start in starts]
    return "\n\n".join(filter(None, chosen)).splitlines()


def main(out: Path, minutes: float) -> None:
    """One run after the other."""
    # Spans that leave in large batches would make waves of every rate.
    os.environ["OTEL_BSP_SCHEDULE_DELAY"] = "1000"
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        asyncio.run(incident(out, Path(one), minutes))
        asyncio.run(troubles(out, Path(other), minutes / 2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--minutes", type=float, default=6.0, help="of the incident; the troubles take about half")
    options = parser.parse_args()
    main(options.out, options.minutes)
