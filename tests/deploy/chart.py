"""The Helm chart, rendered by Helm itself."""

import functools
import json

import yaml

from tests.deploy.shipped import DEPLOY
from tests.deploy.tools import module

CHART = DEPLOY / "helm/groundwatch"
ALL = {
    "serviceMonitor": {"enabled": True},
    "prometheusRule": {"enabled": True},
    "dashboards": {"enabled": True},
    "autoscaling": {"enabled": True},
    "auth": {"existingSecret": "tokens"},
    "secretEnv": [{"name": "OPENAI_API_KEY", "secret": "judge", "key": "api-key"}],
    "config": {"alerts": {"base_url": "https://groundwatch.example.com"}},
}

STREAMS = {"bootstrap_servers": ["kafka-0:9092", "kafka-1:9092"], "sasl_mechanism": "PLAIN", "sasl_username": "me",
           "sasl_password_env": "KAFKA_PASSWORD", "tls": True}  # fmt: skip
SECRETS = [
    {"name": "OPENAI_API_KEY", "secret": "judge", "key": "api-key", "roles": ["evaluate"]},
    {"name": "KAFKA_PASSWORD", "secret": "kafka", "key": "password"},
    {"name": "REDIS_URL", "secret": "redis", "key": "url", "roles": ["evaluate"]},
]
ROLES = ALL | {
    "mode": "roles",
    "secretEnv": SECRETS,
    "config": ALL["config"] | {"streams": STREAMS, "cache": {"redis": {"url_env": "REDIS_URL"}}},
    "roles": {
        "receive": {"autoscaling": {"enabled": True}},
        "evaluate": {"autoscaling": {"enabled": True, "by": "lag", "triggerAuthentication": "kafka"}},
    },
}
MODES = {"defaults": {}, "everything": ALL, "roles": ROLES}


def rendered(values=None):
    """Every object, by its kind and what its name adds to the release's; not to be changed."""
    return _rendered(json.dumps(values or {}))


@functools.cache
def _rendered(values):
    chart = module("helm_python").Chart.load(str(CHART))
    files = chart.render(json.loads(values), name="rel", namespace="rag")
    objects = [one for name, text in files.items() if name.endswith(".yaml") for one in yaml.safe_load_all(text) if one]
    return {one["kind"] + one["metadata"]["name"].removeprefix("rel-groundwatch"): one for one in objects}


def of_kind(kind, objects):
    """The objects of a kind."""
    found = [one for one in objects.values() if one["kind"] == kind]
    assert found
    return found


def secrets(deployment):
    """The environment variables that come from secrets."""
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    return {one["name"] for one in container["env"] if "secretKeyRef" in one.get("valueFrom", {})}
