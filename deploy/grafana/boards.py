"""Grafana's dashboards as plain data: rows of panels, variables, links."""

from collections.abc import Mapping, Sequence
from typing import Any

from deploy.grafana.panels import DATASOURCE, Panel

WIDTH = 24
"""Columns of Grafana's grid."""


def dashboard(
    uid: str,
    title: str,
    description: str,
    rows: Sequence[tuple[str, Sequence[Panel]]],
    variables: Sequence[Mapping[str, Any]] = (),
    links: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """A dashboard: each row's panels flow from left to right."""
    return {
        "uid": uid,
        "title": title,
        "description": description,
        "tags": ["groundwatch"],
        "schemaVersion": 41,
        "version": 1,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "timezone": "browser",
        "fiscalYearStartMonth": 0,
        "annotations": {"list": []},
        "templating": {"list": [_datasource_variable(), *variables]},
        "links": [*links, _sibling_link()],
        "panels": _laid_out(rows),
    }


def choice(name: str, label: str, query: str, *, several: bool = False) -> dict[str, Any]:
    """A variable whose values are those of a label."""
    return {
        "type": "query",
        "name": name,
        "label": label,
        "datasource": DATASOURCE,
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "sort": 1,
        "multi": several,
        "includeAll": several,
        "allValue": ".*" if several else None,
        "current": {"text": "All", "value": "$__all"} if several else {},
        "hide": 0,
        "regex": "",
        "skipUrlSync": False,
    }


def textbox(name: str, label: str, default: str) -> dict[str, Any]:
    """A variable that people type."""
    current = {"text": default, "value": default}
    return {
        "type": "textbox",
        "name": name,
        "label": label,
        "query": default,
        "current": current,
        "hide": 0,
        "skipUrlSync": False,
    }


def link(title: str, url: str) -> dict[str, Any]:
    """A link above the dashboard."""
    return {
        "type": "link",
        "title": title,
        "url": url,
        "icon": "external link",
        "targetBlank": True,
        "tooltip": "",
        "tags": [],
        "asDropdown": False,
        "includeVars": False,
        "keepTime": False,
    }


def _laid_out(rows: Sequence[tuple[str, Sequence[Panel]]]) -> list[Panel]:
    panels: list[Panel] = []
    y = 0
    for title, members in rows:
        panels.append(
            {
                "type": "row",
                "title": title,
                "collapsed": False,
                "panels": [],
                "gridPos": {"x": 0, "y": y, "w": WIDTH, "h": 1},
            }
        )
        x, y, tallest = 0, y + 1, 0
        for panel in members:
            size = panel["gridPos"]
            if x + size["w"] > WIDTH:
                x, y, tallest = 0, y + tallest, 0
            panels.append({**panel, "gridPos": {"x": x, "y": y, **size}})
            x, tallest = x + size["w"], max(tallest, size["h"])
        y += tallest
    return [{"id": number, **panel} for number, panel in enumerate(panels, start=1)]


def _datasource_variable() -> dict[str, Any]:
    return {
        "type": "datasource",
        "name": "datasource",
        "label": "Data source",
        "query": "prometheus",
        "current": {},
        "refresh": 1,
        "hide": 0,
        "multi": False,
        "includeAll": False,
        "regex": "",
        "skipUrlSync": False,
    }


def _sibling_link() -> dict[str, Any]:
    return {
        "type": "dashboards",
        "title": "groundwatch",
        "tags": ["groundwatch"],
        "asDropdown": True,
        "icon": "",
        "url": "",
        "tooltip": "",
        "includeVars": True,
        "keepTime": True,
        "targetBlank": False,
    }
