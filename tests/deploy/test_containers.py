"""Dockerfile, compose stack and the container's configuration."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from collector.check import check
from collector.config import parse
from collector.roles import Role
from tests.deploy.shipped import DEPLOY, load
from tests.deploy.tools import tool

ROOT = DEPLOY.parent
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = load("compose.yaml")
SCALED = load("compose.scaled.yaml")
STACKS = {"compose.yaml": COMPOSE, "compose.scaled.yaml": SCALED}
BOTH = {**COMPOSE["services"], **SCALED["services"]}
each_stack = pytest.mark.parametrize("stack", STACKS)
YAML = sorted(
    file for pattern in ("*.yml", "*.yaml") for file in DEPLOY.rglob(pattern) if "templates" not in file.parts
)


def test_hadolint_finds_nothing_in_the_dockerfile():
    done = subprocess.run([tool("hadolint"), DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_image_runs_as_a_numbered_user_that_is_not_root_and_watches_its_health():
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["10001:10001"]
    assert "HEALTHCHECK" in DOCKERFILE
    assert "STOPSIGNAL SIGTERM" in DOCKERFILE


def test_what_the_image_copies_exists_and_is_let_through():
    let_through = (DEPLOY / "Dockerfile.dockerignore").read_text()
    sources = [part for line in re.findall(r"^COPY (?!--)(.*) \S+$", DOCKERFILE, re.MULTILINE) for part in line.split()]
    for source in sources:
        assert (ROOT / source).exists()
        assert f"!{source}" in let_through.splitlines()


@pytest.mark.parametrize("file", ["container.yaml", "compose/groundwatch.yaml", "compose/roles.yaml"])
def test_the_shipped_configurations_are_good_and_reachable_in_a_container(file):
    config = parse((DEPLOY / file).read_text())
    check(config)
    assert {config.receivers.grpc.host, config.receivers.http.host, config.web.host} == {"0.0.0.0"}  # noqa: S104


@each_stack
def test_compose_conforms_to_the_compose_specification(stack):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, DEPLOY / stack], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@each_stack
def test_every_file_that_compose_mounts_exists(stack):
    for name, service in STACKS[stack]["services"].items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (DEPLOY / source).exists(), f"{name}: {source}"
            else:
                assert source in STACKS[stack]["volumes"]


@each_stack
def test_compose_publishes_to_loopback_only_and_pins_every_image(stack):
    for name, service in STACKS[stack]["services"].items():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
        image = service.get("image") or COMPOSE["services"][name]["image"]
        assert re.search(r":(v?\d|local)", image)


def test_the_image_speaks_with_kafka_redis_and_every_notifier():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (installed,) = re.findall(r"^ARG EXTRAS=(.*)$", DOCKERFILE, re.MULTILINE)
    assert {"apprise", "kafka", "redis"} <= set(installed.split(",")) <= set(extras)
    assert '".[$EXTRAS]"' in DOCKERFILE


def test_hosts_that_configurations_name_are_services_of_compose():
    files = ("compose/groundwatch.yaml", "prometheus/prometheus.yml", "alertmanager/alertmanager.yml",
             "grafana/provisioning/datasources/prometheus.yaml")  # fmt: skip
    assert hosts(*files) <= set(COMPOSE["services"])
    assert hosts("compose/roles.yaml", "prometheus/prometheus.scaled.yml") <= set(BOTH)


def hosts(*files):
    """The hosts that are named, but for this one."""
    text = "".join((DEPLOY / file).read_text() for file in files)
    found = set(re.findall(r"(?:\w+://|\[\")([a-z-]+):\d+", text)) - {"localhost"}
    assert found
    return found


def test_the_scaled_stack_runs_each_role_and_two_workers():
    roles = {service["command"][2]: name for name, service in SCALED["services"].items()
             if service.get("command", [])[:2] == ["run", "--role"]}  # fmt: skip
    assert set(roles) == {role.value for role in Role if role is not Role.ALL}
    # Grafana's links and the published port stay: evidence is where verdicts are watched.
    assert roles["alert"] == "groundwatch"
    assert SCALED["services"][roles["evaluate"]]["deploy"]["replicas"] == 2


def test_prometheus_finds_every_replica_of_every_role():
    shipped, scaled = load("prometheus/prometheus.yml"), load("prometheus/prometheus.scaled.yml")
    (names,) = (one["names"] for one in scaled["scrape_configs"][0].pop("dns_sd_configs"))
    assert set(names) == {name for name in BOTH if re.fullmatch(r"groundwatch(-\w+)?", name)}
    del shipped["scrape_configs"][0]["static_configs"]
    assert scaled == shipped


def test_topics_are_made_before_anybody_uses_them_and_go_by_the_names_of_the_configuration():
    config = parse((DEPLOY / "compose/roles.yaml").read_text())
    made = dict(re.findall(r"(\w+):(\d+)", SCALED["services"]["kafka-topics"]["command"][0].split(";")[0]))
    receiver = config.streams.receiver()
    assert set(made) == {*receiver.topics, config.streams.evaluations_topic, receiver.dead_letter_topic}
    assert int(made[receiver.topics[0]]) >= 2
    for name in ("groundwatch", "groundwatch-receive", "groundwatch-evaluate", "otel-collector"):
        assert SCALED["services"][name]["depends_on"]["kafka-topics"] == {"condition": "service_completed_successfully"}


@pytest.mark.parametrize("file", YAML, ids=lambda file: str(file.relative_to(DEPLOY)))
def test_yamllint_finds_nothing(file: Path):
    config = "{extends: default, rules: {line-length: {max: 200}, document-start: disable, braces: disable, \
brackets: disable, comments: {min-spaces-from-content: 1}}}"
    done = subprocess.run([tool("yamllint"), "-s", "-d", config, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert list(yaml.safe_load_all(file.read_text()))
