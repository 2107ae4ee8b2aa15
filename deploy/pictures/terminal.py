"""A picture of text as a terminal shows it."""

from collections.abc import Sequence
from textwrap import wrap

from deploy.pictures.shapes import Box, rect, text

COLUMNS, LINE, MARGIN = 132, 18, 16
WIDTH = 1100
_COLORS = {"FIRING": "#ff7b72", "RESOLVED": "#7ee787"}


def terminal(title: str, lines: Sequence[str]) -> str:
    """The lines as SVG, wrapped."""
    rows = [row for one in lines for row in wrap(one, COLUMNS, subsequent_indent=" " * 15) or [""]]
    height = MARGIN * 2 + 26 + len(rows) * LINE
    parts = [
        rect(Box(0, 0, WIDTH, height), "#161b22", radius=8),
        text(MARGIN, 24, title, size=12, color="#8b949e"),
    ]
    for number, row in enumerate(rows):
        color = _COLORS.get(row.split(" ")[0], "#e6edf3")
        shown = text(MARGIN, 52 + number * LINE, row, size=13, color=color)
        parts.append(shown.replace("<text ", '<text xml:space="preserve" '))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="ui-monospace, Menlo, Consolas, monospace">\n{body}\n</svg>\n'
    )
