"""Whether a Prometheus has an answer to an expression."""

import math
import time
from collections.abc import Mapping

from deploy.pictures.source import Prometheus


def without_data(prometheus: Prometheus, wanted: Mapping[str, str], patience_s: float) -> dict[str, str]:
    """The expressions, by name, that still return nothing after some seconds."""
    left, give_up = dict(wanted), time.monotonic() + patience_s
    while left and time.monotonic() < give_up:
        time.sleep(0.5)
        left = {name: expr for name, expr in left.items() if not values(prometheus, expr)}
    return left


def values(prometheus: Prometheus, expr: str) -> list[float]:
    """The finite values of an expression's series now."""
    points = (value for one in prometheus.instant(expr) for _, value in one.points)
    return [value for value in points if math.isfinite(value)]
