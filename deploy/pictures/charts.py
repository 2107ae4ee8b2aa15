"""Panels over time: lines, heatmaps, states."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from deploy.pictures.answers import Answer, Named
from deploy.pictures.shapes import (
    FAINT,
    GRID,
    NAMED,
    PALETTE,
    Box,
    Scale,
    area,
    clock,
    diamond,
    fit,
    line,
    rect,
    shown,
    text,
    ticks,
)

_AXIS, _LEGEND, _TIMES = 52.0, 18.0, 16.0
_NARROW = 220.0
"""Four times of day do not fit into less."""

_REST = 30.0
"""The room for how many names are left out."""

_EXEMPLAR = "#d6249f"


def timeseries(panel: dict[str, Any], answer: Answer, box: Box) -> list[str]:
    """Lines, stacked or not, with thresholds, an interval's band and exemplars."""
    defaults = panel["fieldConfig"]["defaults"]
    plot = box.inset(_AXIS, 4, 8, _LEGEND + _TIMES)
    stacked = defaults["custom"]["stacking"]["mode"] == "normal"
    series = _stacked(answer.series) if stacked else answer.series
    highest = max((value for one in series for _, value in one.points), default=0.0)
    wanted = max(highest * 1.05, _lowest_limit(defaults, highest))
    levels = ticks(min(defaults.get("max", math.inf), wanted), size=2**20 if defaults["unit"] == "bytes" else 1)
    x = Scale(answer.start, answer.end, plot.x, plot.x + plot.w)
    y = Scale(0.0, levels[-1], plot.y + plot.h, plot.y)
    parts = _grid(plot, x, y, levels, defaults["unit"])
    parts += _limits(defaults, plot, y)
    band = _band(panel)
    parts += _areas(series, x, y, stacked=stacked, band=band)
    for number, one in enumerate(series):
        width = 0.6 if one.name in band else 1.6
        parts += [line([(x(at), y(value)) for at, value in one.points], _color(number), width=width)]
    parts += [diamond(x(one.at), y(one.value), _EXEMPLAR, f"trace {one.trace_id}") for one in answer.exemplars]
    return parts + _legend(series, box)


def heatmap(panel: dict[str, Any], answer: Answer, box: Box) -> list[str]:
    """Cumulative buckets, drawn as the difference of neighbours."""
    plot = box.inset(_AXIS, 4, 8, _TIMES + 4)
    rows = sorted(answer.series, key=lambda one: float(one.name))
    if not rows:
        return []
    counts = [dict(row.points) for row in rows]
    times = sorted({at for row in counts for at in row})
    height, x = plot.h / len(rows), Scale(answer.start, answer.end, plot.x, plot.x + plot.w)
    cells = [
        [max(0.0, row.get(at, 0.0) - (counts[number - 1].get(at, 0.0) if number else 0.0)) for at in times]
        for number, row in enumerate(counts)
    ]
    most = max((cell for row in cells for cell in row), default=0.0) or 1.0
    parts = []
    for number, row in enumerate(cells):
        top = plot.y + plot.h - (number + 1) * height
        parts.append(
            text(plot.x - 6, top + height / 2 + 4, f"≤ {rows[number].name}", color=FAINT, anchor="end", size=10)
        )
        for at, cell in zip(times, row, strict=True):
            if cell > 0:
                width = plot.w / max(1, len(times) - 1)
                left = min(x(at), plot.x + plot.w - width)
                parts.append(
                    rect(
                        Box(left, top, width - 0.5, height - 1), PALETTE[0], opacity=0.15 + 0.85 * (cell / most) ** 0.5
                    )
                )
    return parts + _times(plot, x)


def timeline(panel: dict[str, Any], answer: Answer, box: Box) -> list[str]:
    """One row a series, coloured by the name of its value."""
    names = min(290.0, box.w * 0.48)
    plot = box.inset(names, 4, 8, _TIMES + 4)
    mapping = panel["fieldConfig"]["defaults"]["mappings"][0]["options"]
    x = Scale(answer.start, answer.end, plot.x, plot.x + plot.w)
    rows = answer.series
    if not rows:
        return [text(box.x + box.w / 2, box.y + box.h / 2, "nothing fired", color=FAINT, anchor="middle")]
    height = min(24.0, plot.h / len(rows))
    parts = []
    for number, row in enumerate(rows):
        top = plot.y + number * height
        parts.append(text(plot.x - 8, top + height / 2 + 4, fit(row.name, names - 15), anchor="end"))
        for since, until, value in _runs(row, answer.step):
            left, right = x(since), x(until)
            parts.append(rect(Box(left, top + 2, right - left, height - 5), NAMED[mapping[str(int(value))]["color"]]))
    return parts + _times(plot, x)


def _runs(row: Named, step: float) -> Iterator[tuple[float, float, float]]:
    """From, to and value of each stretch of time without a change or a gap."""
    points = [*row.points, (math.inf, math.nan)]
    since = points[0][0]
    for (at, value), (later, following) in pairwise(points):
        if following != value or later - at > 1.5 * step:
            yield since, at + step, value
            since = later


def _lowest_limit(defaults: dict[str, Any], highest: float) -> float:
    """Room for a limit that is not far above the data."""
    limits = [step["value"] for step in defaults["thresholds"]["steps"] if step["value"] is not None]
    near = [limit for limit in limits if limit <= 4 * highest]
    return max(near, default=0.0) * 1.1


def _limits(defaults: dict[str, Any], plot: Box, y: Scale) -> list[str]:
    if defaults["custom"].get("thresholdsStyle", {}).get("mode") != "dashed":
        return []
    steps = [step for step in defaults["thresholds"]["steps"] if step["value"] is not None and step["value"] <= y.high]
    # Where low is bad the step above the limit is green; the limit itself is drawn red all the same.
    colors = [NAMED["red"] if step["color"] == "green" else NAMED[step["color"]] for step in steps]
    return [
        line([(plot.x, y(step["value"])), (plot.x + plot.w, y(step["value"]))], color, width=1.0, dashed=True)
        for step, color in zip(steps, colors, strict=True)
    ]


def _band(panel: dict[str, Any]) -> tuple[str, ...]:
    """The names of the upper and the lower bound of a filled interval."""
    for override in panel["fieldConfig"]["overrides"]:
        for prop in override["properties"]:
            if prop["id"] == "custom.fillBelowTo":
                return (override["matcher"]["options"], prop["value"])
    return ()


def _areas(series: Sequence[Named], x: Scale, y: Scale, *, stacked: bool, band: tuple[str, ...]) -> list[str]:
    lines = {one.name: [(x(at), y(value)) for at, value in one.points] for one in series}
    if band and all(name in lines for name in band):
        return [area(lines[band[0]], lines[band[1]], PALETTE[1], 0.18)]
    if not stacked:
        return []
    parts, below = [], [(x(at), y(0.0)) for at, _ in series[0].points] if series else []
    for number, one in enumerate(series):
        parts.append(area(lines[one.name], below, _color(number), 0.3))
        below = lines[one.name]
    return parts


def _stacked(series: Sequence[Named]) -> list[Named]:
    """Each series on top of those before it."""
    sums: dict[float, float] = {}
    stacked = []
    times = sorted({at for one in series for at, _ in one.points})
    for one in series:
        own = dict(one.points)
        for at in times:
            sums[at] = sums.get(at, 0.0) + own.get(at, 0.0)
        stacked.append(Named(one.name, one.labels, tuple((at, sums[at]) for at in times)))
    return stacked


def _grid(plot: Box, x: Scale, y: Scale, levels: Sequence[float], unit: str) -> list[str]:
    parts = []
    for level in levels:
        parts.append(line([(plot.x, y(level)), (plot.x + plot.w, y(level))], GRID, width=1.0))
        parts.append(text(plot.x - 6, y(level) + 4, shown(level, unit), size=10, color=FAINT, anchor="end"))
    return parts + _times(plot, x)


def _times(plot: Box, x: Scale) -> list[str]:
    shares = (0.1, 0.37, 0.63, 0.9) if plot.w >= _NARROW else (0.15, 0.85)
    marks = [x.low + (x.high - x.low) * share for share in shares]
    return [text(x(at), plot.y + plot.h + 13, clock(at), size=10, color=FAINT, anchor="middle") for at in marks]


def _legend(series: Sequence[Named], box: Box) -> list[str]:
    """As many names as fit, of the highest lines."""
    parts, left, bottom = [], box.x + 10, box.y + box.h - 5
    order = sorted(range(len(series)), key=lambda number: -_peak(series[number]))
    for place, number in enumerate(order):
        name = fit(series[number].name, 230)
        width = 22 + len(name) * 5.6
        rest = _REST if place + 1 < len(order) else 0.0
        if left + width + rest > box.x + box.w:
            parts.append(text(left, bottom, f"+{len(series) - place}", size=10, color=FAINT))
            break
        parts.append(rect(Box(left, bottom - 8, 9, 9), _color(number), radius=2))
        parts.append(text(left + 13, bottom, name, size=10))
        left += width
    return parts


def _peak(series: Named) -> float:
    return max((value for _, value in series.points), default=0.0)


def _color(number: int) -> str:
    return PALETTE[number % len(PALETTE)]
