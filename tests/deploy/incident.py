"""Makes the README's pictures: an incident on the live stack, drawn as dashboards and as the alert that arrives.

python -m tests.deploy.incident --out deploy/pictures --minutes 6
"""

import argparse
import asyncio
import json
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from deploy.pictures.render import DASHBOARDS, DEFAULTS, render
from deploy.pictures.source import Prometheus
from deploy.pictures.terminal import terminal
from tests.deploy.shipped import SERVICE
from tests.deploy.stack import Customers, Stack, stack

QUIET, INCIDENT = 0.03, 0.75
"""Shares of wrong answers."""

OTHERS = {"help-desk": 0.01, "hr-assistant": 0.04}
"""Services that go on as usual, with their share of wrong answers."""

ROWS = {
    "fleet": ("Now", "Quality", "Alerts"),
    "service": ("Now", "Scores", "Where it goes wrong", "Worst traces"),
    "monitor": ("Now", "In", "Out", "Process"),
}
"""The rows that the pictures show; the other dashboards are shown whole."""


async def incident(out: Path, minutes: float) -> None:
    """Quiet for a third, wrong for a third, good again for a third."""
    with tempfile.TemporaryDirectory() as folder:
        async with stack(Path(folder)) as running:
            began = time.time()
            others = ExitStack()
            for service, wrong in OTHERS.items():
                others.enter_context(Customers(running.monitor.grpc, 2, service, wrong))
            with others, Customers(running.monitor.grpc, pace=8) as customers:
                for share in (QUIET, INCIDENT, QUIET):
                    customers.wrong = share
                    await asyncio.sleep(minutes * 20)
                draw(out, running, began + 8)


def draw(out: Path, running: Stack, began: float) -> None:
    """One picture for each dashboard, and one of the first notification that names a claim."""
    end, source = time.time(), Prometheus(running.prometheus)
    variables = DEFAULTS | {"service": SERVICE, "__rate_interval": "15s", "__range": f"{end - began:.0f}s"}
    for file in sorted(DASHBOARDS.glob("*.json")):
        name, board = file.stem, json.loads(file.read_text())
        (out / f"{name}.svg").write_text(render(board, source, variables, began, end, ROWS.get(name, ())))
    (out / "alert.svg").write_text(terminal("alert-inbox", _first_alerts(running.received())))


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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--minutes", type=float, default=6.0)
    options = parser.parse_args()
    asyncio.run(incident(options.out, options.minutes))
