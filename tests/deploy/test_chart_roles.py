"""The Helm chart with a deployment for each role."""

import pytest

from collector.config import parse
from tests.deploy.chart import ROLES, rendered, secrets


def test_each_role_gets_the_secrets_that_it_needs():
    objects = rendered(ROLES)
    common = {"GROUNDWATCH_WEB_TOKEN", "KAFKA_PASSWORD"}
    assert secrets(objects["Deployment-receive"]) == common | {"GROUNDWATCH_OTLP_TOKEN"}
    assert secrets(objects["Deployment-evaluate"]) == common | {"OPENAI_API_KEY", "REDIS_URL"}
    assert secrets(objects["Deployment-alert"]) == common


@pytest.mark.parametrize("role", ["receive", "evaluate", "alert"])
def test_a_role_has_a_deployment_that_runs_it_and_a_policy_and_pods_of_its_own(role):
    objects = rendered(ROLES)
    deployment, policy = objects[f"Deployment-{role}"], objects[f"NetworkPolicy-{role}"]
    pod = deployment["spec"]["template"]
    assert pod["spec"]["containers"][0]["args"][:3] == ["run", "--role", role]
    own = pod["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"].items() <= own.items()
    assert policy["spec"]["podSelector"]["matchLabels"] == deployment["spec"]["selector"]["matchLabels"]
    for other in {"receive", "evaluate", "alert"} - {role}:
        labels = objects[f"Deployment-{other}"]["spec"]["template"]["metadata"]["labels"]
        assert not deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()


def test_a_role_may_reach_what_it_uses_and_nothing_else():
    objects = rendered(ROLES)
    dns, judges_and_notifiers, kafka, redis = {53}, {443, 9093}, {9092}, {6379}
    assert egress(objects["NetworkPolicy-receive"]) == dns | kafka
    assert egress(objects["NetworkPolicy-evaluate"]) == dns | judges_and_notifiers | kafka | redis
    assert egress(objects["NetworkPolicy-alert"]) == dns | judges_and_notifiers | kafka
    assert egress(rendered()["NetworkPolicy"]) == dns | judges_and_notifiers


def egress(policy):
    """The ports that pods may connect to."""
    return {port["port"] for rule in policy["spec"]["egress"] for port in rule["ports"]}


def test_workers_are_scaled_by_lag_and_receivers_by_cpu(monkeypatch):
    monkeypatch.setenv("GROUNDWATCH_WEB_TOKEN", "a secret's value")
    objects = rendered(ROLES)
    scaled, by_cpu = objects["ScaledObject-evaluate"]["spec"], objects["HorizontalPodAutoscaler-receive"]["spec"]
    assert scaled["scaleTargetRef"]["name"] == objects["Deployment-evaluate"]["metadata"]["name"]
    assert by_cpu["scaleTargetRef"]["name"] == objects["Deployment-receive"]["metadata"]["name"]
    (trigger,) = scaled["triggers"]
    config = parse(objects["ConfigMap"]["data"]["groundwatch.yaml"])
    receiver = config.streams.receiver()
    assert trigger["metadata"] == {
        "bootstrapServers": ",".join(receiver.bootstrap_servers),
        "consumerGroup": receiver.group_id,
        "topic": receiver.topics[0],
        "lagThreshold": "5000",
        "offsetResetPolicy": receiver.auto_offset_reset,
        "tls": "enable",
    }
    assert trigger["authenticationRef"] == {"name": "kafka"}
    assert "HorizontalPodAutoscaler-evaluate" not in objects, "two would fight over its replicas"
    assert "replicas" not in objects["Deployment-evaluate"]["spec"]
    assert objects["Deployment-alert"]["spec"]["replicas"] == 1


def test_workers_are_scaled_by_cpu_where_there_is_no_keda():
    evaluate = {"evaluate": {"autoscaling": {"enabled": True}}}
    objects = rendered(ROLES | {"roles": evaluate})
    assert "HorizontalPodAutoscaler-evaluate" in objects
    assert "ScaledObject-evaluate" not in objects
    assert objects["Deployment-receive"]["spec"]["replicas"] == 2


def test_lag_is_that_of_the_receiver_where_it_is_configured_apart():
    kafka = {"bootstrap_servers": ["other:9092"], "topics": ["one", "two"], "group_id": "mine"}
    config = {**ROLES["config"], "receivers": {"kafka": kafka}}
    triggers = rendered(ROLES | {"config": config})["ScaledObject-evaluate"]["spec"]["triggers"]
    assert [trigger["metadata"]["topic"] for trigger in triggers] == ["one", "two"]
    assert {trigger["metadata"]["consumerGroup"] for trigger in triggers} == {"mine"}
    assert {trigger["metadata"]["bootstrapServers"] for trigger in triggers} == {"other:9092"}


def test_a_claim_belongs_to_the_process_that_alerts():
    objects = rendered(ROLES | {"persistence": {"existingClaim": "disk"}})
    claims = {name for name, one in objects.items() if one["kind"] == "Deployment" and "disk" in str(one["spec"])}
    assert claims == {"Deployment-alert"}
    assert objects["Deployment-alert"]["spec"]["strategy"] == {"type": "Recreate"}
