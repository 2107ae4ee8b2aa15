"""The files of deploy/, as tests read them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import yaml

from deploy.pictures.source import interpolate

DEPLOY = Path(__file__).parents[2] / "deploy"
RULE_FILES = sorted((DEPLOY / "prometheus/rules").glob("*.yml"))
DASHBOARDS = sorted((DEPLOY / "grafana/dashboards").glob("*.json"))

SERVICE = "shop-assistant"
"""The sample application."""

VARIABLES = {
    "service": SERVICE,
    "judge": "lexical",
    "slice": "gen_ai.request.model",
    "instance": ".*",
    "__rate_interval": "15s",
    "__range": "5m",
}
"""What the dashboards' variables stand for in tests."""

_OFFSET = re.compile(r" offset \w+")


def load(path: str) -> Any:
    """A YAML file of deploy/."""
    return yaml.safe_load((DEPLOY / path).read_text())


def rules(kind: str) -> Iterator[dict[str, Any]]:
    """Every rule of a kind: `record` or `alert`."""
    for file in RULE_FILES:
        for group in yaml.safe_load(file.read_text())["groups"]:
            yield from (rule for rule in group["rules"] if kind in rule)


def panels() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every panel that shows data, with the name of its dashboard."""
    for file in DASHBOARDS:
        for panel in json.loads(file.read_text())["panels"]:
            if panel["type"] != "row":
                yield file.stem, panel


def expressions() -> dict[str, str]:
    """Every expression of panels and rules, by the name of what needs it; alerts by what they compare."""
    found = {
        f"{board}: {panel['title']}: {target['expr']}": interpolate(target["expr"], VARIABLES)
        for board, panel in panels()
        for target in panel["targets"]
    }
    found |= {f"{rule['alert']}: {expr}": expr for rule in rules("alert") for expr in operands(rule["expr"])}
    return found | {rule["record"]: rule["record"] for rule in rules("record")}


def is_kafkas(expr: str) -> bool:
    """Whether an expression is about what only processes that meet in Kafka have."""
    return "groundwatch_kafka_" in expr or "groundwatch_stream_" in expr


def operands(expr: str) -> list[str]:
    """What an alert's expression compares: these must have data whether it fires or not.

    Offsets are left out: a test's Prometheus was not there yesterday.
    """
    return [_OFFSET.sub("", text) for text in _operands(promql_parser.parse(expr))]


def _operands(node: Any) -> list[str]:
    if isinstance(node, promql_parser.ParenExpr):
        return _operands(node.expr)
    if isinstance(node, promql_parser.Call) and node.func.name == "absent":
        return [str(node.args[0])]
    if not isinstance(node, promql_parser.BinaryExpr):
        return [str(node)]
    if str(node.op) in ("and", "or", "unless"):
        return _operands(node.lhs) + _operands(node.rhs)
    if str(node.op) in (">", "<", ">=", "<=", "==", "!="):
        return [str(side) for side in (node.lhs, node.rhs) if not _is_constant(side)]
    return [str(node)]


def _is_constant(node: Any) -> bool:
    if isinstance(node, promql_parser.BinaryExpr):
        return _is_constant(node.lhs) and _is_constant(node.rhs)
    return isinstance(node, promql_parser.NumberLiteral)
