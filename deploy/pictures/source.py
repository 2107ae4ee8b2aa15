"""What a dashboard's panels show, asked of a real Prometheus: https://prometheus.io/docs/prometheus/latest/querying/api/"""

import json
import re
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TIMEOUT_S = 30.0
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


@dataclass(frozen=True, slots=True)
class Series:
    """Labels, and values by time in epoch seconds."""

    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Exemplar:
    """One observation behind a series, and the trace that it belongs to."""

    at: float
    value: float
    trace_id: str


def interpolate(text: str, variables: Mapping[str, str]) -> str:
    """Put values in for `$name` and `${name}`, as Grafana does. Raises KeyError for a variable without a value."""
    return _VARIABLE.sub(lambda match: variables[match[1] or match[2]], text)


class Prometheus:
    """A server's HTTP API. Raises OSError where it does not answer and ValueError where it refuses."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def instant(self, expr: str, at: float | None = None) -> list[Series]:
        """The value of each series at a time, now by default."""
        moment = {} if at is None else {"time": str(at)}
        data = self._get("query", query=expr, **moment)
        if data["resultType"] == "scalar":
            return [Series({}, (_point(data["result"]),))]
        return [Series(one["metric"], (_point(one["value"]),)) for one in data["result"]]

    def over(self, expr: str, start: float, end: float, step: float) -> list[Series]:
        """The values of each series from `start` to `end`, `step` seconds apart."""
        data = self._get("query_range", query=expr, start=str(start), end=str(end), step=str(step))
        return [Series(one["metric"], tuple(map(_point, one["values"]))) for one in data["result"]]

    def exemplars(self, expr: str, start: float, end: float) -> list[Exemplar]:
        """The exemplars of the series that an expression reads, oldest first."""
        data = self._get("query_exemplars", query=expr, start=str(start), end=str(end))
        found = (
            Exemplar(float(one["timestamp"]), float(one["value"]), one["labels"].get("trace_id", ""))
            for series in data
            for one in series["exemplars"]
        )
        return sorted(found, key=lambda exemplar: exemplar.at)

    def _get(self, path: str, **parameters: str) -> Any:
        url = f"{self._url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT_S) as response:  # noqa: S310  the operator's own address
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            raise ValueError(f"{parameters.get('query')}: {json.load(error).get('error')}") from error


def _point(pair: list[Any]) -> tuple[float, float]:
    return float(pair[0]), float(pair[1])
