"""Panels of the present: a number, bars, a table."""

from typing import Any

from deploy.pictures.answers import Answer, Named
from deploy.pictures.shapes import FAINT, GRID, INK, NAMED, PALETTE, Box, Scale, fit, line, rect, shown, text

_NOTHING = float("nan")


def stat(panel: dict[str, Any], answer: Answer, box: Box) -> list[str]:
    """The last value, and how it came to be."""
    defaults = panel["fieldConfig"]["defaults"]
    points = answer.series[0].points if answer.series else ()
    value = points[-1][1] if points else _NOTHING
    color = _level(defaults, value)
    parts = [
        text(
            box.x + box.w / 2,
            box.y + 34,
            shown(value, defaults["unit"]),
            size=26,
            color=color,
            anchor="middle",
            bold=True,
        )
    ]
    if len(points) > 1:
        x = Scale(answer.start, answer.end, box.x + 10, box.x + box.w - 10)
        values = [one for _, one in points]
        y = Scale(min(values), max(values), box.y + box.h - 8, box.y + 50)
        parts.append(line([(x(at), y(one)) for at, one in points], color, width=1.2))
    return parts


def bars(panel: dict[str, Any], answer: Answer, box: Box) -> list[str]:
    """A bar for each series, the longest as long as there is room."""
    defaults = panel["fieldConfig"]["defaults"]
    rows = sorted(answer.series, key=lambda one: -_last(one))
    most = max((_last(one) for one in rows), default=0.0) or 1.0
    height = min(30.0, (box.h - 16) / max(1, len(rows)))
    parts = []
    for number, one in enumerate(rows):
        top, value = box.y + 6 + number * height, _last(one)
        room = Box(box.x + 128, top + 3, box.w - 195, height - 8)
        color = PALETTE[0] if len(defaults["thresholds"]["steps"]) == 1 else _level(defaults, value)
        parts += [
            text(room.x - 8, top + height / 2 + 4, fit(one.name or panel["title"], 115), anchor="end"),
            rect(room, GRID, radius=2),
            rect(room._replace(w=room.w * value / most), color, radius=2),
            text(room.x + room.w + 8, top + height / 2 + 4, shown(value, defaults["unit"]), bold=True),
        ]
    return parts


def table(panel: dict[str, Any], answer: Answer, box: Box) -> list[str]:
    """One row for each set of labels, one column for each query."""
    _, chosen, naming = panel["transformations"]
    names = naming["options"]["renameByName"]
    labels = [name for name in chosen["options"]["include"]["names"] if name not in names]
    titles = list(names.values())
    units = {one["matcher"]["options"]: one["properties"][0]["value"] for one in panel["fieldConfig"]["overrides"]}
    rows: dict[tuple[str, ...], dict[str, float]] = {}
    for title, series in zip(titles, answer.by_target, strict=True):
        for one in series:
            rows.setdefault(tuple(one.labels.get(label, "") for label in labels), {})[title] = _last(one)
    width = box.w / (len(labels) + len(titles))
    parts = [
        text(box.x + 10 + column * width, box.y + 12, title, bold=True) for column, title in enumerate(labels + titles)
    ]
    for number, (key, values) in enumerate(sorted(rows.items())[: int((box.h - 24) / 19)]):
        top = box.y + 22 + number * 19
        cells = [*key, *(shown(values.get(title, _NOTHING), units[title]) for title in titles)]
        parts.append(line([(box.x + 6, top), (box.x + box.w - 6, top)], GRID, width=1))
        parts += [
            text(
                box.x + 10 + column * width,
                top + 14,
                fit(cell, width - 12),
                color=INK if column < len(labels) else FAINT,
            )
            for column, cell in enumerate(cells)
        ]
    return parts


def _level(defaults: dict[str, Any], value: float) -> str:
    """The colour of the highest threshold that the value reaches."""
    reached = [step for step in defaults["thresholds"]["steps"] if step["value"] is None or value >= step["value"]]
    return NAMED[reached[-1]["color"]]


def _last(series: Named) -> float:
    return series.points[-1][1] if series.points else 0.0
