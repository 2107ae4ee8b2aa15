"""SVG shapes, scales and units. Coordinates are pixels from the top left."""

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from typing import NamedTuple

PALETTE = ("#3274d9", "#e0752d", "#37872d", "#8f3bb8", "#0f9d9d", "#c4162a", "#b88a00", "#6e6e6e", "#d65a9a", "#5b5bd6")
NAMED = {"green": "#37872d", "yellow": "#b88a00", "red": "#c4162a", "transparent": "#dfe3ea"}
INK, FAINT, GRID = "#22252b", "#6b7280", "#e4e7ec"

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_SI = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    w: float
    h: float

    def inset(self, left: float, top: float, right: float, bottom: float) -> "Box":
        """The rectangle inside margins."""
        return Box(self.x + left, self.y + top, self.w - left - right, self.h - top - bottom)


class Scale(NamedTuple):
    """Maps values of `low` to `high` to pixels of `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The pixel of a value; values beyond the ends stay at them."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


def text(
    x: float, y: float, content: str, *, size: int = 11, color: str = INK, anchor: str = "start", bold: bool = False
) -> str:
    """A line of text; anything in it is data."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{color}" text-anchor="{anchor}"{weight}>'
        f"{escape(content)}</text>"
    )


def rect(box: Box, color: str, *, opacity: float = 1.0, radius: float = 0.0, title: str = "") -> str:
    """A filled rectangle."""
    inner = f"<title>{escape(title)}</title>" if title else ""
    return (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{max(0.0, box.w):.1f}" height="{max(0.0, box.h):.1f}" '
        f'fill="{color}" fill-opacity="{opacity:g}" rx="{radius:g}">{inner}</rect>'
    )


def line(points: Iterable[tuple[float, float]], color: str, *, width: float = 1.5, dashed: bool = False) -> str:
    """A polyline."""
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width:g}"{dash}/>'


def area(upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]], color: str, opacity: float) -> str:
    """The area between two lines."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*upper, *reversed(lower)])
    return f'<polygon points="{path}" fill="{color}" fill-opacity="{opacity:g}"/>'


def diamond(x: float, y: float, color: str, title: str) -> str:
    """A mark."""
    path = f"M{x:.1f},{y - 5:.1f}l5,5l-5,5l-5,-5z"
    return f'<path d="{path}" fill="{color}" fill-opacity="0.8"><title>{escape(title)}</title></path>'


def fit(content: str, width: float, size: int = 11) -> str:
    """The text, cut where it would not fit."""
    room = max(1, int(width / (size * 0.56)))
    return content if len(content) <= room else content[: room - 1] + "…"


def ticks(high: float, count: int = 4, size: float = 1.0) -> list[float]:
    """Round multiples of `size` from 0 to at least `high`."""
    if high <= 0:
        return [0.0, size]
    rough = high / size / count
    scale = 10.0 ** math.floor(math.log10(rough))
    step = size * next(one * scale for one in _STEPS if one * scale >= rough * 0.999)
    return [step * number for number in range(math.ceil(high / step - 1e-9) + 1)]


def shown(value: float, unit: str) -> str:
    """A value with its unit, as Grafana names units."""
    if not math.isfinite(value):
        return "no data"
    if unit == "percentunit":
        return f"{value * 100:.3g}%"
    if unit == "s":
        return f"{value:.3g} s" if value >= 1 or value == 0 else f"{value * 1000:.3g} ms"
    if unit == "bytes":
        return f"{value / 2**20:.3g} MiB" if value >= 2**20 else f"{value / 2**10:.3g} KiB"
    amount = next((f"{value / size:.3g}{name}" for size, name in _SI if abs(value) >= size), f"{value:.3g}")
    return {"reqps": f"{amount}/s", "currencyUSD": f"${amount}"}.get(unit, amount)


def clock(at: float) -> str:
    """Time of day in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M:%S")
