"""Prometheus rules and the routes of their alerts."""

import re

import pytest

from alerts.exposition import SCORE_BUCKETS
from evaluators.metrics import ONLINE_METRICS
from tests.deploy.shipped import DEPLOY, RULE_FILES, load, rules
from tests.deploy.tools import run
from tests.servers import require

UNIT_TESTS = sorted((DEPLOY / "prometheus/tests").glob("*.yml"))
ALERTS = [rule["alert"] for rule in rules("alert")]


@pytest.mark.parametrize("file", UNIT_TESTS, ids=lambda file: file.stem)
def test_rules_fire_and_stay_quiet_as_their_unit_tests_say(file):
    require("promtool")
    run("promtool", "test", "rules", file)


def test_prometheus_takes_its_configuration_and_every_rule():
    require("promtool")
    run("promtool", "check", "config", DEPLOY / "prometheus/prometheus.yml")
    run("promtool", "check", "rules", "--lint-fatal", *RULE_FILES)


@pytest.mark.parametrize("alert", ALERTS)
def test_every_alert_is_shown_to_fire_by_a_unit_test(alert):
    assert any(f'alertname="{alert}"' in file.read_text() for file in UNIT_TESTS)


@pytest.mark.parametrize("rule", list(rules("alert")), ids=lambda rule: rule["alert"])
def test_every_alert_has_a_severity_a_summary_and_a_runbook(rule):
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert rule["annotations"]["summary"]
    assert rule["annotations"]["description"]
    assert rule["annotations"]["runbook"] == f"deploy/docs/runbooks/{rule['alert']}.md"


@pytest.mark.parametrize("name", ONLINE_METRICS)
def test_bad_answers_are_counted_at_the_metrics_own_threshold(name):
    (rule,) = (rule for rule in rules("record") if rule["record"].endswith("scores_bad:increase30m"))
    buckets = re.findall(r'metric=~?"([\w|]+)",le="([\d.]+)"', rule["expr"])
    (bound,) = {float(le) for metrics, le in buckets if name in metrics.split("|")}
    assert bound == ONLINE_METRICS[name].threshold
    assert bound in SCORE_BUCKETS


def test_alertmanager_takes_its_configuration():
    require("amtool")
    run("amtool", "check-config", DEPLOY / "alertmanager/alertmanager.yml")


@pytest.mark.parametrize(
    ("labels", "receiver"),
    [
        ("alertname=GroundwatchLowFaithfulness service=shop severity=page", "page"),
        ("alertname=contradicted_claim service=shop severity=ticket", "ticket"),
        ("alertname=no_data service=shop severity=info", "nobody"),
        ("alertname=SomethingElse", "ticket"),
    ],
)
def test_severities_reach_their_receiver(labels, receiver):
    require("amtool")
    file = DEPLOY / "alertmanager/alertmanager.yml"
    assert run("amtool", "config", "routes", "test", f"--config.file={file}", *labels.split()) == receiver


def test_inhibitions_name_alerts_that_exist():
    from alerts.rules.defaults import DEFAULT_RULES

    known = {*ALERTS, *(rule.name for rule in DEFAULT_RULES)}
    for rule in load("alertmanager/alertmanager.yml")["inhibit_rules"]:
        for matcher in (*rule["source_matchers"], *rule["target_matchers"]):
            names = re.findall(r'"(.*)"', matcher)[0].split("|")
            assert set(names) <= known


def test_no_alert_inhibits_itself():
    for rule in load("alertmanager/alertmanager.yml")["inhibit_rules"]:
        sides = [
            set(re.findall(r'"(.*)"', rule[side][0])[0].split("|")) for side in ("source_matchers", "target_matchers")
        ]
        assert not sides[0] & sides[1]
