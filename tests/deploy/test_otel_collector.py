"""Configurations of the OpenTelemetry Collector."""

import json
import re
import subprocess

import pytest

from collector.config import parse
from collector.conventions.registry import markers
from tests.deploy.shipped import DEPLOY, load
from tests.otelcol.collector import SHIPPED, VERSION, require_collector

FILES = sorted(SHIPPED.glob("*.yaml"))
VARIABLE = re.compile(r"\$\{env:(\w+)\}")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_component_is_defined_once_and_used(file):
    config = load(f"otel-collector/{file.name}")
    for kind in ("receivers", "processors", "exporters"):
        used = {name for pipeline in config["service"]["pipelines"].values() for name in pipeline.get(kind, [])}
        assert used == set(config.get(kind, {}))


def test_kafka_keeps_the_spans_of_a_trace_together_and_both_halves_agree():
    out, back = load("otel-collector/kafka-out.yaml"), load("otel-collector/kafka-in.yaml")
    exporter, receiver = out["exporters"]["kafka"], back["receivers"]["kafka"]
    assert exporter["partition_traces_by_id"] is True
    assert [exporter["traces"]["topic"]] == receiver["traces"]["topics"]
    assert exporter["traces"]["encoding"] == receiver["traces"]["encoding"] == "otlp_proto"


def test_groundwatch_reads_what_the_collector_writes():
    exporter = load("otel-collector/kafka-out.yaml")["exporters"]["kafka"]
    receiver = parse((DEPLOY / "compose/roles.yaml").read_text()).streams.receiver()
    assert receiver.topics == (exporter["traces"]["topic"],)
    assert receiver.encoding == exporter["traces"]["encoding"]


def test_the_scaled_stack_keeps_the_trace_backend():
    more = load("compose/backend.yaml")
    pipeline = more["service"]["pipelines"]["traces/backend"]
    known = load("otel-collector/kafka-out.yaml")
    assert set(pipeline["receivers"]) <= set(known["receivers"])
    assert set(pipeline["processors"]) <= set(known["processors"])
    assert pipeline["exporters"] == list(more["exporters"])
    assert not set(more["service"]["pipelines"]) & set(known["service"]["pipelines"]), "one would replace the other"


def test_the_backend_gets_everything_and_groundwatch_what_it_can_use():
    pipelines = load("otel-collector/fan-out.yaml")["service"]["pipelines"]
    assert set(pipelines) == {f"{signal}/{to}" for signal in ("traces", "logs") for to in ("backend", "groundwatch")}
    for name, pipeline in pipelines.items():
        assert ("filter/rag" in pipeline["processors"]) is name.endswith("groundwatch")


def test_no_mark_of_a_dialect_is_unknown_to_the_filter():
    told_by_events = {b"db.query.result"}
    (condition,) = (one for one in load("otel-collector/fan-out.yaml")["processors"]["filter/rag"]["trace_conditions"]
                    if "IsRootSpan" in one)  # fmt: skip
    found = re.findall(r'not IsMatch\(Keys\(span\.attributes\), "((?:[^"\\]|\\.)+)"\)', condition)
    patterns = [pattern.replace('\\"', '"') for pattern in found]
    for marker in set(markers()) - told_by_events:
        keys = json.dumps([f"{marker.decode()}x"])
        assert any(re.search(pattern, keys) for pattern in patterns), marker


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_collector_takes_every_configuration(file):
    validate([file], dict.fromkeys(VARIABLE.findall(file.read_text()), "localhost:1"))


@pytest.mark.parametrize("stack", [["compose.yaml"], ["compose.yaml", "compose.scaled.yaml"]], ids=" ".join)
def test_the_collector_takes_what_compose_gives_it(stack):
    services = [load(name)["services"].get("otel-collector", {}) for name in stack]
    mounted = {to: source for one in services for source, to, *_ in (volume.split(":") for volume in one["volumes"])}
    environment = {key: value for one in services for key, value in one["environment"].items()}
    files = [DEPLOY / mounted[argument.removeprefix("--config=")] for argument in services[-1]["command"]]
    assert {name for file in files for name in VARIABLE.findall(file.read_text())} <= set(environment)
    validate(files, environment)


def test_compose_runs_the_release_that_the_configurations_are_tested_with():
    image = load("compose.yaml")["services"]["otel-collector"]["image"]
    assert image == f"otel/opentelemetry-collector-contrib:{VERSION}"


def validate(files, environment):
    command = [require_collector(), "validate", *(f"--config={file}" for file in files)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
