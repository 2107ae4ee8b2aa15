"""Pictures of dashboards, from the data of a real Prometheus.

    python -m deploy.pictures.render --prometheus http://localhost:9090 --out FOLDER --minutes 15 service=shop-assistant

Draws what Grafana would show of the same files: every panel, at its place. Variables are given as NAME=VALUE.
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from deploy.pictures import charts, tiles
from deploy.pictures.answers import Answer, ask
from deploy.pictures.shapes import FAINT, Box, fit, rect, text
from deploy.pictures.source import Prometheus

DASHBOARDS = Path(__file__).parents[1] / "grafana/dashboards"
WIDTH, COLUMN, ROW, GAP = 1200, 50, 30, 4
HEADER = 44
DEFAULTS = {"judge": "lexical", "slice": "gen_ai.request.model", "instance": ".*", "__rate_interval": "1m"}

DRAW: Mapping[str, Callable[[dict[str, Any], Answer, Box], list[str]]] = {
    "timeseries": charts.timeseries,
    "heatmap": charts.heatmap,
    "state-timeline": charts.timeline,
    "stat": tiles.stat,
    "bargauge": tiles.bars,
    "table": tiles.table,
}


def render(
    dashboard: dict[str, Any],
    source: Prometheus,
    variables: Mapping[str, str],
    start: float,
    end: float,
    titles: Sequence[str] = (),
) -> str:
    """A dashboard as SVG; with `titles` only these rows of it."""
    panels = _rows(dashboard["panels"], titles)
    height = HEADER + max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels) * ROW + GAP
    known = {name: value for name, value in variables.items() if not name.startswith("__")}
    chosen = [one["name"] for one in dashboard["templating"]["list"] if one["name"] in known]
    about = "   ".join(f"{name}: {'all' if known[name] == '.*' else known[name]}" for name in chosen)
    parts = [
        rect(Box(0, 0, WIDTH, height), "#f4f5f8"),
        text(14, 28, dashboard["title"], size=18, bold=True),
        text(WIDTH - 14, 28, about, size=12, color=FAINT, anchor="end"),
    ]
    for panel in panels:
        parts += _row(panel) if panel["type"] == "row" else _panel(panel, ask(panel, source, variables, start, end))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="Inter, Helvetica, Arial, sans-serif">\n{body}\n</svg>\n'
    )


def _rows(panels: list[dict[str, Any]], titles: Sequence[str]) -> list[dict[str, Any]]:
    """The panels of the rows that are wanted, moved up to close the gaps."""
    kept: list[dict[str, Any]] = []
    wanted, removed, bottom = not titles, 0, 0
    for panel in panels:
        place = panel["gridPos"]
        if panel["type"] == "row":
            wanted = not titles or panel["title"] in titles
            removed = place["y"] - bottom
        if wanted:
            kept.append({**panel, "gridPos": {**place, "y": place["y"] - removed}})
            bottom = max(bottom, place["y"] - removed + place["h"])
    return kept


def _place(panel: dict[str, Any]) -> Box:
    grid = panel["gridPos"]
    return Box(grid["x"] * COLUMN, HEADER + grid["y"] * ROW, grid["w"] * COLUMN, grid["h"] * ROW)


def _row(panel: dict[str, Any]) -> list[str]:
    box = _place(panel)
    return [text(box.x + 14, box.y + 20, panel["title"], size=14, bold=True)]


def _panel(panel: dict[str, Any], answer: Answer) -> list[str]:
    box = _place(panel).inset(GAP, GAP, GAP, GAP)
    frame = [rect(box, "#ffffff", radius=4, title=panel["description"])]
    title = text(box.x + 10, box.y + 18, fit(panel["title"], box.w - 20, 12), size=12, bold=True)
    return [*frame, title, *DRAW[panel["type"]](panel, answer, box.inset(0, 26, 0, 4))]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prometheus", required=True, metavar="URL")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--minutes", type=float, default=60.0, help="how far back")
    parser.add_argument("variables", nargs="*", metavar="NAME=VALUE")
    return parser.parse_args()


def main() -> None:
    """Write one SVG for each dashboard."""
    options = _arguments()
    end = time.time()
    given = dict(one.split("=", 1) for one in options.variables)
    variables = DEFAULTS | {"__range": f"{options.minutes * 60:.0f}s"} | given
    source = Prometheus(options.prometheus)
    options.out.mkdir(parents=True, exist_ok=True)
    for file in sorted(DASHBOARDS.glob("*.json")):
        picture = render(json.loads(file.read_text()), source, variables, end - options.minutes * 60, end)
        (options.out / f"{file.stem}.svg").write_text(picture)


if __name__ == "__main__":
    main()
