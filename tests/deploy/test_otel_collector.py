"""Configurations of the OpenTelemetry Collector."""

import json
import re
import subprocess
import sys

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.config import parse
from tests.deploy.replay import CAPTURES
from tests.deploy.shipped import DEPLOY, load

FILES = sorted((DEPLOY / "otel-collector").glob("*.yaml"))
BODIES = [file for file in sorted(CAPTURES.glob("*/*.pb")) if not file.read_bytes().startswith(b"\x1f\x8b")]


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
    assert "filter/rag" not in pipelines["traces/backend"]["processors"]
    assert "filter/rag" in pipelines["traces/groundwatch"]["processors"]


def test_the_filter_drops_no_span_that_a_verdict_on_a_captured_trace_needs(tmp_path):
    (condition,) = load("otel-collector/fan-out.yaml")["processors"]["filter/rag"]["traces"]["span"]
    kept = [tmp_path / f"{number:03}.pb" for number in range(len(BODIES))]
    for source, file in zip(BODIES, kept, strict=True):
        file.write_bytes(filtered(source.read_bytes(), condition))
    assert sum(file.stat().st_size for file in kept) < sum(file.stat().st_size for file in BODIES)
    assert inspected(kept) == inspected(BODIES)


def filtered(body, condition):
    """What the processor lets through; `condition` is a conjunction of the forms that are used here."""
    absent = re.findall(r'attributes\["([\w.]+)"\] == nil', condition)
    different = re.findall(r'attributes\["([\w.]+)"\] != "(\w+)"', condition)
    assert condition.startswith("not IsRootSpan()")
    assert condition.count(" and ") == len(absent) + len(different)
    request = ExportTraceServiceRequest.FromString(body)
    for scope in (scope for resource in request.resource_spans for scope in resource.scope_spans):
        keep = []
        for span in scope.spans:
            attributes = {one.key: one.value.string_value for one in span.attributes}
            marked = any(key in attributes for key in absent)
            marked |= any(attributes.get(key) == value for key, value in different)
            if marked or not span.parent_span_id:
                keep.append(span)
        del scope.spans[:]
        scope.spans.extend(keep)
    return request.SerializeToString()


def inspected(files):
    """What the monitor makes of each trace."""
    command = [sys.executable, "-m", "collector", "inspect", "--json", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    traces = [json.loads(line) for line in done.stdout.splitlines()]
    fields = ("verdict", "question", "answer", "chunks")
    return {trace["trace_id"]: [trace[field] for field in fields] for trace in traces if trace["verdict"] == "rag"}
