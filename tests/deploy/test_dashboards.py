"""Grafana's dashboards, as far as they can be shown to be right without a Grafana."""

import json
import re
from itertools import combinations

import promql_parser
import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from deploy.grafana.build import dashboards, render
from deploy.pictures.source import interpolate
from tests.deploy.shipped import DASHBOARDS, VARIABLES, load, panels

BOARDS = [json.loads(file.read_text()) for file in DASHBOARDS]
each_board = pytest.mark.parametrize("board", BOARDS, ids=lambda board: board["uid"])
each_panel = pytest.mark.parametrize(
    "panel", [panel for _, panel in panels()], ids=[f"{name}:{panel['title']}" for name, panel in panels()]
)


def test_the_files_are_what_the_code_draws():
    drawn = {name: render(board) for name, board in dashboards().items()}
    assert drawn == {file.stem: file.read_text() for file in DASHBOARDS}


@each_board
def test_grafanas_own_schema_knows_every_field(board):
    register_default_plugins()
    known = json.loads(json.dumps(Dashboard.from_json(board), cls=JSONEncoder))
    assert missing(board, known) == []


def missing(written, known, path=""):
    """The paths of what the schema's reader dropped or changed."""
    if isinstance(written, dict):
        if not isinstance(known, dict):
            return [path]
        return [lost for key in written for lost in missing(written[key], known.get(key), f"{path}.{key}")]
    if isinstance(written, list):
        if not isinstance(known, list) or len(written) != len(known):
            return [path] if written else []
        return [lost for one, other in zip(written, known, strict=True) for lost in missing(one, other, f"{path}[]")]
    return [] if written == known or (written in ("", None, False) and not known) else [path]


@each_board
def test_panel_ids_are_unique_and_panels_lie_side_by_side(board):
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids)
    for one, other in combinations((panel["gridPos"] for panel in board["panels"]), 2):
        apart = (
            one["x"] + one["w"] <= other["x"]
            or other["x"] + other["w"] <= one["x"]
            or one["y"] + one["h"] <= other["y"]
            or other["y"] + other["h"] <= one["y"]
        )
        assert apart
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in board["panels"])


@each_board
def test_every_variable_that_is_used_is_offered(board):
    text = json.dumps([board["panels"], board["links"]])
    used = set(re.findall(r"\$\{?(\w+)", text)) - {"__rate_interval", "__range", "value"}
    assert used <= {variable["name"] for variable in board["templating"]["list"]}


@each_panel
def test_every_panel_says_what_it_shows_and_in_which_unit(panel):
    assert len(panel["description"]) > 15
    assert panel["fieldConfig"]["defaults"]["unit"]
    assert panel["fieldConfig"]["defaults"]["thresholds"]["steps"][0]["value"] is None


@each_panel
def test_every_expression_is_promql(panel):
    for target in panel["targets"]:
        promql_parser.parse(interpolate(target["expr"], VARIABLES))


def test_exemplars_lead_to_the_evidence_and_to_the_trace():
    prometheus, jaeger = load("grafana/provisioning/datasources/prometheus.yaml")["datasources"]
    evidence, trace = prometheus["jsonData"]["exemplarTraceIdDestinations"]
    # Grafana expands variables in provisioning files: one dollar would be lost.
    assert evidence["url"].endswith("/traces/$${__value.raw}")
    assert trace["datasourceUid"] == jaeger["uid"]
    assert {evidence["name"], trace["name"]} == {"trace_id"}
