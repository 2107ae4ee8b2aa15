"""The pages under deploy/docs."""

import re

import pytest
import yaml

from alerts.rules.defaults import DEFAULT_RULES
from collector.config import parse
from collector.conventions.registry import DIALECTS
from tests.deploy.chart import rendered
from tests.deploy.shipped import DEPLOY, panels, rules

DOCS = DEPLOY / "docs"
RUNBOOKS = DOCS / "runbooks"
CONNECT = (DOCS / "connect-your-app.md").read_text()
ALERTS = sorted([rule["alert"] for rule in rules("alert")] + [rule.name for rule in DEFAULT_RULES])
PAGES = sorted(DOCS.rglob("*.md"))


@pytest.mark.parametrize("alert", ALERTS)
def test_every_shipped_alert_has_a_page_that_says_what_to_do(alert):
    text = (RUNBOOKS / f"{alert}.md").read_text()
    for part in (f"# {alert}\n", "## Look at", "## Usual causes", "## Silence it", f"alertname={alert}"):
        assert part in text


def test_there_is_no_page_about_an_alert_that_does_not_exist():
    assert sorted(file.stem for file in RUNBOOKS.glob("*.md") if file.stem != "README") == ALERTS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_runbooks_name_panels_and_dashboards_that_exist():
    known = {panel["title"] for _, panel in panels()}
    known |= {"groundwatch / fleet", "groundwatch / service", "groundwatch / judges", "groundwatch / monitor"}
    known |= {"Worst traces", "Where it goes wrong", "Slices"}
    for page in RUNBOOKS.glob("*.md"):
        named = set(re.findall(r"(?<!\*)\*([A-Z][\w ,%]+|groundwatch / \w+)\*(?!\*)", page.read_text()))
        assert named - {"Status / Targets"} <= known, page.stem


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_every_dialect_has_a_paragraph_with_its_switch(dialect):
    (paragraph,) = (part for part in CONNECT.split("\n\n") if f"(`{dialect.name}`)" in part)
    words = " ".join(paragraph.split())
    for word in re.findall(r"[\w.\-]*[A-Z_.\-]{2,}[\w.\-=]*|\b\w+[A-Z]\w+\b|\w+=", dialect.switch):
        assert word.strip(".") in words


def test_the_configurations_shown_for_roles_are_good():
    values, config = (yaml.safe_load(block) for block in reversed(blocks((DOCS / "roles.md").read_text())))
    for shown in (config, values["config"]):
        assert parse(yaml.safe_dump(shown)).streams
    assert {"Deployment-receive", "ScaledObject-evaluate", "Service-alert"} <= set(rendered(values))


def blocks(page):
    """The YAML that a page shows."""
    return re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)


def test_the_operator_rules_shown_are_good():
    for block in blocks(CONNECT):
        assert parse(yaml.safe_dump(yaml.safe_load(block))).operator_rules
