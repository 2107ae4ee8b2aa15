"""A panel's queries, answered."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deploy.pictures.source import Exemplar, Prometheus, Series, interpolate

POINTS = 120
"""Points a line: enough for the width of a panel."""

MAX_EXEMPLARS = 24

_LABEL = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Named:
    """A series under the name that its legend gives it."""

    name: str
    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the queries of a panel returned, by target; times are epoch seconds."""

    by_target: tuple[tuple[Named, ...], ...]
    exemplars: tuple[Exemplar, ...]
    start: float
    end: float
    step: float

    @property
    def series(self) -> list[Named]:
        """All series, in the order of the targets."""
        return [one for target in self.by_target for one in target]


def ask(panel: dict[str, Any], source: Prometheus, variables: Mapping[str, str], start: float, end: float) -> Answer:
    """Run the queries of a panel."""
    step = max(1.0, (end - start) / POINTS)
    targets, exemplars = [], []
    for target in panel["targets"]:
        expr = interpolate(target["expr"], variables)
        found = source.instant(expr, end) if target["instant"] else source.over(expr, start, end, step)
        targets.append(tuple(_named(one, target["legendFormat"]) for one in found))
        if target["exemplar"]:
            exemplars += source.exemplars(expr, start, end)
    # Thinned evenly, so that all of the time is represented.
    thinned = exemplars[:: max(1, len(exemplars) // MAX_EXEMPLARS)]
    return Answer(tuple(targets), tuple(thinned), start, end, step)


def _named(series: Series, legend: str) -> Named:
    points = tuple((at, value) for at, value in series.points if math.isfinite(value))
    name = _LABEL.sub(lambda match: series.labels.get(match[1], ""), legend)
    return Named("" if legend == "__auto" else name.strip(), series.labels, points)
