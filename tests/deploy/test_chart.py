"""The Helm chart in both of its modes."""

import json

import kubernetes_validate
import pytest
import yaml

from collector.config import parse
from tests.deploy.chart import ALL, CHART, MODES, ROLES, of_kind, rendered, secrets
from tests.deploy.shipped import DASHBOARDS, RULE_FILES
from tests.deploy.tools import module, run
from tests.servers import require

KUBERNETES = "1.32"
OTHERS = ("monitoring.coreos.com/v1", "keda.sh/v1alpha1")
"""Kinds that Kubernetes itself does not know."""

each_mode = pytest.mark.parametrize("values", MODES.values(), ids=MODES)


@each_mode
def test_lint_finds_no_error_and_no_warning(values):
    found = module("helm_python").lint(str(CHART), values, strict=True)
    assert found["errors"] == []
    assert [message for message in found["messages"] if message["severity"] > 1] == []


@each_mode
def test_every_object_is_valid_for_kubernetes(values):
    for kind, one in rendered(values).items():
        if one["apiVersion"] not in OTHERS:
            kubernetes_validate.validate(one, KUBERNETES, strict=True)
        assert one["metadata"]["namespace"] == "rag", kind


def test_a_value_that_does_not_exist_is_refused():
    with pytest.raises(module("helm_python").HelmError):
        rendered({"replica": 2})


def test_roles_without_kafka_are_refused_with_the_key_to_set():
    with pytest.raises(module("helm_python").HelmError, match=r"config\.streams\.bootstrap_servers"):
        rendered({"mode": "roles"})


@each_mode
def test_the_configuration_is_one_that_groundwatch_takes(values, monkeypatch):
    monkeypatch.setenv("GROUNDWATCH_WEB_TOKEN", "a secret's value")
    config = parse(rendered(values)["ConfigMap"]["data"]["groundwatch.yaml"])
    assert config.web.host == "0.0.0.0"  # noqa: S104
    assert str(config.cache.path) == "/var/lib/groundwatch/verdicts.sqlite"
    assert config.receivers.grpc.token_env == ("GROUNDWATCH_OTLP_TOKEN" if values else None)
    assert config.web.token_env == ("GROUNDWATCH_WEB_TOKEN" if values else None)
    assert config.alerts.base_url == ("https://groundwatch.example.com" if values else "http://127.0.0.1:9464")


@each_mode
def test_pods_are_confined_and_probed(values):
    for deployment in of_kind("Deployment", rendered(values)):
        pod = deployment["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
        # A pod that waits for its brokers is not ready, and a restart would not help it.
        assert {container[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe")} == {"/healthz"}
        assert container["resources"]["requests"]
        # drain_s is 25 by default; handing on, notifying and leaving a group get 25 more.
        assert pod["terminationGracePeriodSeconds"] > 25 + 25


def test_secrets_are_references_and_never_values():
    assert secrets(rendered(ALL)["Deployment"]) == {
        "GROUNDWATCH_OTLP_TOKEN",
        "GROUNDWATCH_WEB_TOKEN",
        "OPENAI_API_KEY",
    }
    assert all(one["kind"] != "Secret" for one in [*rendered(ALL).values(), *rendered(ROLES).values()])


@each_mode
def test_a_policy_lets_in_what_a_pod_listens_on(values):
    objects = rendered(values)
    for policy in of_kind("NetworkPolicy", objects):
        suffix = policy["metadata"]["name"].removeprefix("rel-groundwatch")
        (container,) = objects[f"Deployment{suffix}"]["spec"]["template"]["spec"]["containers"]
        let_in = {port["port"] for rule in policy["spec"]["ingress"] for port in rule["ports"]}
        assert let_in == {port["name"] for port in container["ports"]}


@each_mode
def test_services_lead_to_ports_of_the_pods_that_they_select(values):
    objects = rendered(values)
    for service in of_kind("Service", objects):
        selector = service["spec"]["selector"].items()
        pods = [one["spec"]["template"] for one in of_kind("Deployment", objects)]
        (pod,) = (pod for pod in pods if selector <= pod["metadata"]["labels"].items())
        ports = {port["name"] for port in pod["spec"]["containers"][0]["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} == ports
    taking = {port["name"] for port in objects["Service"]["spec"]["ports"]}
    assert taking == {"otlp-grpc", "otlp-http", "web"}, "applications find the same address in every mode"


@pytest.mark.parametrize(("values", "names"), [(ALL, {""}), (ROLES, {"", "-evaluate", "-alert"})], ids=["one", "roles"])
def test_every_pod_is_scraped_once(values, names):
    objects = rendered(values)
    selector = objects["ServiceMonitor"]["spec"]["selector"]
    (expression,) = selector["matchExpressions"]
    assert expression["operator"] == "NotIn"
    watched = {name.removeprefix("Service") for name, one in objects.items() if one["kind"] == "Service"
               and selector["matchLabels"].items() <= one["metadata"]["labels"].items()
               and one["metadata"]["labels"][expression["key"]] not in expression["values"]}  # fmt: skip
    assert watched == names
    for service in of_kind("Service", objects):
        assert service["metadata"]["labels"]["app.kubernetes.io/name"] == "groundwatch", "the job of the rules"


def test_the_prometheus_rule_holds_the_shipped_rules(tmp_path):
    require("promtool")
    groups = rendered(ALL)["PrometheusRule"]["spec"]["groups"]
    shipped = [group for file in RULE_FILES for group in yaml.safe_load(file.read_text())["groups"]]
    assert sorted(groups, key=lambda group: group["name"]) == sorted(shipped, key=lambda group: group["name"])
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": groups}))
    run("promtool", "check", "rules", file)


def test_the_dashboards_are_the_shipped_ones():
    data = rendered(ALL)["ConfigMap-dashboards"]["data"]
    assert {name: json.loads(text) for name, text in data.items()} == {
        f"groundwatch-{file.name}": json.loads(file.read_text()) for file in DASHBOARDS
    }
