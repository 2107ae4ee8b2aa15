"""Dockerfile, compose stack and the container's configuration."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from collector.config import parse
from tests.deploy.shipped import DEPLOY, load
from tests.deploy.tools import tool

ROOT = DEPLOY.parent
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = load("compose.yaml")
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


@pytest.mark.parametrize("file", ["container.yaml", "compose/groundwatch.yaml"])
def test_the_shipped_configurations_are_good_and_reachable_in_a_container(file):
    config = parse((DEPLOY / file).read_text())
    assert {config.receivers.grpc.host, config.receivers.http.host, config.web.host} == {"0.0.0.0"}  # noqa: S104


def test_compose_conforms_to_the_compose_specification():
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, DEPLOY / "compose.yaml"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_file_that_compose_mounts_exists():
    for name, service in COMPOSE["services"].items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (DEPLOY / source).exists(), f"{name}: {source}"
            else:
                assert source in COMPOSE["volumes"]


def test_compose_publishes_to_loopback_only_and_pins_every_image():
    for service in COMPOSE["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
        assert re.search(r":(v?\d|local)", service["image"])


def test_hosts_that_configurations_name_are_services_of_compose():
    files = ("compose/groundwatch.yaml", "prometheus/prometheus.yml", "alertmanager/alertmanager.yml")
    text = "".join((DEPLOY / file).read_text() for file in files)
    text += (DEPLOY / "grafana/provisioning/datasources/prometheus.yaml").read_text()
    hosts = set(re.findall(r"(?:http://|\[\")([a-z-]+):\d+", text)) - {"localhost"}
    assert hosts
    assert hosts <= set(COMPOSE["services"])


@pytest.mark.parametrize("file", YAML, ids=lambda file: str(file.relative_to(DEPLOY)))
def test_yamllint_finds_nothing(file: Path):
    config = "{extends: default, rules: {line-length: {max: 200}, document-start: disable, braces: disable, \
brackets: disable, comments: {min-spaces-from-content: 1}}}"
    done = subprocess.run([tool("yamllint"), "-s", "-d", config, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert list(yaml.safe_load_all(file.read_text()))
