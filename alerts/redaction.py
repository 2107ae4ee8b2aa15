"""What must not travel in an alert, and how much of a text does."""

from collections.abc import Callable

from evaluators.redaction import redact

__all__ = ["presentable", "redact", "shorten"]

ELLIPSIS = "…"


def shorten(text: str, limit: int) -> str:
    """`text` on one line in at most `limit` characters, cut at the end with an ellipsis."""
    line = " ".join(text.split())
    line = (
        line
        if line.isprintable()
        else "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)
    )
    return line if len(line) <= limit else line[: limit - 1] + ELLIPSIS


def presentable(limit: int) -> Callable[[str], str]:
    """Redact first, cut second: a cut through a key would leave half of it."""
    return lambda text: shorten(redact(text), limit) if text else ""
