"""Durations as people write them: 30s, 5m, 1h30m."""

import re
from typing import Annotated

from pydantic import BeforeValidator, Field

_UNITS = {"w": 604_800.0, "d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|w|d|h|m|s)")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")


def parse_duration(value: object) -> float:
    """Seconds of a number of seconds, or of a text such as "250ms", "5m", "1h30m", "2d".

    Raises ValueError for anything else; the message says how to write it.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    text = value.strip() if isinstance(value, str) else ""
    if len(text) > 40 or not _WHOLE.fullmatch(text):
        raise ValueError("is not a duration: write 250ms, 30s, 5m, 1h30m or 2d")
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def format_duration(seconds: float) -> str:
    """The two largest units that matter: 5400 -> "1h30m", 0.25 -> "250ms", 90061 -> "1d1h"."""
    if seconds < 1:
        return f"{round(seconds * 1000)}ms"
    rest, parts = round(seconds), []
    for unit in ("d", "h", "m", "s"):
        count, rest = divmod(rest, round(_UNITS[unit]))
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts[:2])


Duration = Annotated[float, BeforeValidator(parse_duration), Field(ge=0, allow_inf_nan=False)]
"""A settings field: seconds, written as above."""

PositiveDuration = Annotated[float, BeforeValidator(parse_duration), Field(gt=0, allow_inf_nan=False)]
"""A settings field for a window or a timeout, which cannot be zero."""
