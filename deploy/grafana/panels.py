"""Grafana's panels as plain data, in the schema of its version 11."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}

GREEN, YELLOW, RED = "green", "yellow", "red"

Panel = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Query:
    """A PromQL expression and how its series are named. `exemplar` asks for the trace ids behind it, too."""

    expr: str
    legend: str = ""
    instant: bool = False
    exemplar: bool = False
    format: str = "time_series"

    def target(self, ref: str) -> dict[str, Any]:
        """The query as a panel's target."""
        return {
            "refId": ref,
            "datasource": DATASOURCE,
            "expr": self.expr,
            "legendFormat": self.legend or "__auto",
            "instant": self.instant,
            "range": not self.instant,
            "exemplar": self.exemplar,
            "format": self.format,
            "editorMode": "code",
        }


def steps(*levels: tuple[float | None, str]) -> dict[str, Any]:
    """Thresholds: (lower bound, colour); the first bound is None."""
    return {"mode": "absolute", "steps": [{"value": value, "color": color} for value, color in levels]}


PLAIN = steps((None, GREEN))


def timeseries(
    title: str,
    description: str,
    *queries: Query,
    unit: str = "short",
    width: int = 8,
    thresholds: Mapping[str, Any] | None = None,
    stacked: bool = False,
    band: tuple[str, str] | None = None,
    top: float | None = None,
) -> Panel:
    """Lines over time. `thresholds` are drawn as lines; `band` names the upper and lower bound that enclose an area."""
    custom: dict[str, Any] = {
        "drawStyle": "line",
        "lineWidth": 2,
        "fillOpacity": 30 if stacked else 0,
        "showPoints": "never",
        "spanNulls": False,
        "stacking": {"mode": "normal" if stacked else "none", "group": "A"},
        "thresholdsStyle": {"mode": "dashed" if thresholds else "off"},
    }
    panel = _panel("timeseries", title, description, queries, unit, width, 8, thresholds or PLAIN, custom)
    panel["fieldConfig"]["defaults"]["min"] = 0
    if top is not None:
        panel["fieldConfig"]["defaults"]["max"] = top
    if band:
        panel["fieldConfig"]["overrides"] = _band(*band)
    panel["options"] = {
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
        "tooltip": {"mode": "multi", "sort": "desc"},
    }
    return panel


def stat(
    title: str, description: str, query: Query, unit: str = "short", width: int = 4, thresholds: Any = None
) -> Panel:
    """One number, coloured by its thresholds."""
    panel = _panel("stat", title, description, [query], unit, width, 4, thresholds or PLAIN, {})
    panel["options"] = {
        "colorMode": "value",
        "graphMode": "area",
        "justifyMode": "auto",
        "textMode": "auto",
        "orientation": "auto",
        "wideLayout": True,
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
    }
    return panel


def bars(
    title: str, description: str, *queries: Query, unit: str = "short", width: int = 8, thresholds: Any = None
) -> Panel:
    """One bar for each series, of its last value."""
    panel = _panel("bargauge", title, description, queries, unit, width, 8, thresholds or PLAIN, {})
    panel["fieldConfig"]["defaults"]["min"] = 0
    panel["options"] = {
        "displayMode": "basic",
        "valueMode": "color",
        "orientation": "horizontal",
        "showUnfilled": True,
        "minVizWidth": 8,
        "minVizHeight": 10,
        "namePlacement": "auto",
        "sizing": "auto",
        "maxVizHeight": 300,
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
    }
    return panel


def heatmap(title: str, description: str, query: Query, width: int = 8) -> Panel:
    """The buckets of a histogram over time."""
    panel = _panel("heatmap", title, description, [query], "short", width, 8, PLAIN, {})
    panel["options"] = {
        "calculate": False,
        "cellGap": 1,
        "color": {"mode": "scheme", "scheme": "Blues", "fill": "dark-blue", "exponent": 0.5, "steps": 64},
        "exemplars": {"color": "rgba(255,0,255,0.7)"},
        "filterValues": {"le": 1e-9},
        "legend": {"show": True},
        "rowsFrame": {"layout": "auto"},
        "tooltip": {"mode": "single", "yHistogram": False, "showColorScale": False},
        "yAxis": {"axisPlacement": "left", "reverse": False},
    }
    return panel


def timeline(
    title: str, description: str, *queries: Query, names: Mapping[int, tuple[str, str]], width: int = 12
) -> Panel:
    """States over time. `names` gives each value its name and colour."""
    custom = {"fillOpacity": 80, "lineWidth": 0}
    panel = _panel("state-timeline", title, description, queries, "short", width, 8, PLAIN, custom)
    options = {str(value): {"text": name, "color": color, "index": value} for value, (name, color) in names.items()}
    panel["fieldConfig"]["defaults"]["mappings"] = [{"type": "value", "options": options}]
    panel["options"] = {
        "showValue": "never",
        "rowHeight": 0.8,
        "mergeValues": True,
        "alignValue": "left",
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
        "tooltip": {"mode": "single", "sort": "none"},
    }
    return panel


def table(
    title: str,
    description: str,
    columns: Mapping[str, tuple[str, str]],
    by: Sequence[str],
    width: int = 24,
    height: int = 8,
) -> Panel:
    """One row for each combination of the labels `by`; `columns` are title: (expression, unit)."""
    queries = [Query(expr, instant=True, format="table") for expr, _ in columns.values()]
    custom = {"align": "auto", "inspect": False}
    panel = _panel("table", title, description, queries, "short", width, height, PLAIN, custom)
    values = [f"Value #{target['refId']}" for target in panel["targets"]]
    names = dict(zip(values, columns, strict=True)) if len(columns) > 1 else {"Value": next(iter(columns))}
    panel["transformations"] = [
        {"id": "merge", "options": {}},
        {"id": "filterFieldsByName", "options": {"include": {"names": [*by, *names]}}},
        {"id": "organize", "options": {"renameByName": names, "indexByName": {}, "excludeByName": {}}},
    ]
    panel["fieldConfig"]["overrides"] = [
        {"matcher": {"id": "byName", "options": title}, "properties": [{"id": "unit", "value": unit}]}
        for title, (_, unit) in columns.items()
    ]
    panel["options"] = {"showHeader": True, "cellHeight": "sm", "footer": {"show": False, "reducer": ["sum"]}}
    return panel


def _panel(
    kind: str,
    title: str,
    description: str,
    queries: Sequence[Query],
    unit: str,
    width: int,
    height: int,
    thresholds: Mapping[str, Any],
    custom: Mapping[str, Any],
) -> Panel:
    return {
        "type": kind,
        "title": title,
        "description": description,
        "datasource": DATASOURCE,
        "gridPos": {"w": width, "h": height},
        "targets": [query.target(chr(ord("A") + number)) for number, query in enumerate(queries)],
        "fieldConfig": {
            "defaults": {
                "unit": unit,
                "thresholds": dict(thresholds),
                "color": {"mode": "thresholds" if kind in ("stat", "bargauge") else "palette-classic"},
                "custom": dict(custom),
                "mappings": [],
            },
            "overrides": [],
        },
    }


def _band(upper: str, lower: str) -> list[dict[str, Any]]:
    """The upper bound is filled down to the lower one; both lines are thin."""
    thin = {"id": "custom.lineWidth", "value": 0}
    fill = [{"id": "custom.fillBelowTo", "value": lower}, {"id": "custom.fillOpacity", "value": 20}]
    return [
        {"matcher": {"id": "byName", "options": upper}, "properties": [thin, *fill]},
        {"matcher": {"id": "byName", "options": lower}, "properties": [thin]},
    ]
