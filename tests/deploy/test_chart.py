"""The Helm chart, rendered by Helm itself."""

import json

import kubernetes_validate
import pytest
import yaml

from collector.config import parse
from tests.deploy.shipped import DASHBOARDS, DEPLOY, RULE_FILES
from tests.deploy.tools import module, run
from tests.servers import require

CHART = DEPLOY / "helm/groundwatch"
KUBERNETES = "1.32"
ALL = {
    "serviceMonitor": {"enabled": True},
    "prometheusRule": {"enabled": True},
    "dashboards": {"enabled": True},
    "autoscaling": {"enabled": True},
    "auth": {"existingSecret": "tokens"},
    "secretEnv": [{"name": "OPENAI_API_KEY", "secret": "judge", "key": "api-key"}],
    "config": {"alerts": {"base_url": "https://groundwatch.example.com"}},
}


def rendered(values=None):
    """Every object, by its kind and what its name adds to the release's."""
    chart = module("helm_python").Chart.load(str(CHART))
    files = chart.render(values or {}, name="rel", namespace="rag")
    objects = [one for name, text in files.items() if name.endswith(".yaml") for one in yaml.safe_load_all(text) if one]
    return {one["kind"] + one["metadata"]["name"].removeprefix("rel-groundwatch"): one for one in objects}


def test_lint_finds_no_error_and_no_warning():
    found = module("helm_python").lint(str(CHART), ALL, strict=True)
    assert found["errors"] == []
    assert [message for message in found["messages"] if message["severity"] > 1] == []


@pytest.mark.parametrize("values", [{}, ALL], ids=["defaults", "everything"])
def test_every_object_is_valid_for_kubernetes(values):
    for kind, one in rendered(values).items():
        if "coreos" not in one["apiVersion"]:
            kubernetes_validate.validate(one, KUBERNETES, strict=True)
        assert one["metadata"]["namespace"] == "rag", kind


def test_a_value_that_does_not_exist_is_refused():
    with pytest.raises(module("helm_python").HelmError):
        rendered({"replica": 2})


@pytest.mark.parametrize("values", [{}, ALL], ids=["defaults", "everything"])
def test_the_configuration_is_one_that_groundwatch_takes(values, monkeypatch):
    monkeypatch.setenv("GROUNDWATCH_WEB_TOKEN", "a secret's value")
    config = parse(rendered(values)["ConfigMap"]["data"]["groundwatch.yaml"])
    assert config.web.host == "0.0.0.0"  # noqa: S104
    assert str(config.cache.path) == "/var/lib/groundwatch/verdicts.sqlite"
    assert config.receivers.grpc.token_env == ("GROUNDWATCH_OTLP_TOKEN" if values else None)
    assert config.web.token_env == ("GROUNDWATCH_WEB_TOKEN" if values else None)
    assert config.alerts.base_url == ("https://groundwatch.example.com" if values else "http://127.0.0.1:9464")


def test_the_pod_is_confined_and_probed():
    pod = rendered()["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container)
    assert container["resources"]["requests"]
    # drain_s is 25 by default, and notifications get 5 more.
    assert pod["terminationGracePeriodSeconds"] > 25 + 5


def test_secrets_are_references_and_never_values():
    (container,) = rendered(ALL)["Deployment"]["spec"]["template"]["spec"]["containers"]
    secret = {one["name"] for one in container["env"] if "secretKeyRef" in one.get("valueFrom", {})}
    assert secret == {"GROUNDWATCH_OTLP_TOKEN", "GROUNDWATCH_WEB_TOKEN", "OPENAI_API_KEY"}
    assert "Secret" not in rendered(ALL)


def test_what_selects_pods_and_services_finds_them():
    objects = rendered(ALL)
    pod = objects["Deployment"]["spec"]["template"]
    ports = {port["name"] for port in pod["spec"]["containers"][0]["ports"]}
    for kind in ("Service", "Service-headless"):
        assert objects[kind]["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
        assert {port["targetPort"] for port in objects[kind]["spec"]["ports"]} == ports
    watched = objects["ServiceMonitor"]["spec"]["selector"]["matchLabels"].items()
    assert watched <= objects["Service"]["metadata"]["labels"].items()
    assert not watched <= objects["Service-headless"]["metadata"]["labels"].items(), "each pod would be scraped twice"
    assert objects["Service"]["metadata"]["labels"]["app.kubernetes.io/name"] == "groundwatch", "the job of the rules"
    assert objects["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()


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
