"""`groundwatch check` tells what a configuration does, and what of it is seldom meant."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from collector.check_report import summary, warnings
from collector.cli import main
from collector.config import parse

EXPOSED = "receivers: {http: {host: 0.0.0.0}}\nweb: {host: 0.0.0.0}"


def test_the_defaults_are_summed_up_with_right_plurals() -> None:
    assert summary(parse("")) == "good: 1 judge (lexical: all traces), 8 built-in rules, 1 notifier (jsonlines)"


def test_judges_rules_and_notifiers_are_told_as_they_are_set() -> None:
    told = summary(
        parse("""
judges:
  - {}
  - judge: {type: openai, name: gpt, model: m}
    sampling: [{rate: 0.2, services: [support-*]}, {rate: 0.005}]
operator_rules: [{match: {name: search}}]
alerts:
  rules:
    - {name: low_coverage, enabled: false}
    - {name: low_faithfulness, threshold: 0.5}
    - {name: mine, kind: trace, contradicted: true}
  notifiers: [{type: jsonlines}, {type: webhook, url: "http://127.0.0.1:9"}]
""")
    )
    assert told == (
        "good: 2 judges (lexical: all traces, gpt: 20% of support-*, 0.5%), 7 built-in rules, 1 own rule, "
        "2 notifiers (jsonlines, webhook), 1 operator rule"
    )


def test_without_the_built_in_rules_none_is_counted() -> None:
    assert "0 built-in rules" in summary(parse("alerts: {default_rules: false}"))


def test_what_anyone_can_reach_without_a_token_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "groundwatch.yaml"
    path.write_text(EXPOSED)
    assert main(["check", str(path)]) == 0
    printed = capsys.readouterr()
    web, receiver = printed.err.splitlines()
    assert f"{path}: warning: web.host: 0.0.0.0 " in web
    assert "anyone who reaches it reads questions and answers" in web
    assert "receivers.http.host" in receiver
    assert "good: 1 judge" in printed.out


def test_a_judge_elsewhere_without_a_price_is_a_warning_and_one_on_this_machine_is_not() -> None:
    remote = "judges: [{judge: {type: openai, name: gpt, model: m}}]\n"
    (line,) = warnings(parse(remote))
    assert line == "prices: none for 'm', the model of judge gpt: its cost is not counted"
    assert warnings(parse(remote + "prices: {m: {input_usd: 0, output_usd: 0}}")) == []
    assert warnings(parse(remote.replace("model: m", "model: m, base_url: 'http://localhost:8000/v1'"))) == []


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("slices: [gen_ai.request.model, team]", "slices: 'team'"),
        ("judges: [{sampling: [{rate: 1, attributes: {team: a}}]}]", "judges[0].sampling: 'team'"),
        (
            "alerts: {rules: [{name: low_faithfulness, slice: [deployment.environment.name]}]}",
            "alerts.rules.low_faithfulness.slice: 'deployment.environment.name'",
        ),
    ],
)
def test_an_attribute_that_no_trace_tells_is_a_warning_that_names_those_that_are_told(text: str, path: str) -> None:
    (line,) = warnings(parse(text))
    assert line.startswith(f"{path} is not read from traces")
    assert "gen_ai.request.model, " in line
    assert "deployment.environment, " in line


def test_another_port_of_the_pages_is_a_warning_where_alerts_still_link_to_the_usual_one() -> None:
    (line,) = warnings(parse("web: {port: 9999}"))
    assert line.startswith("alerts.base_url: not set")
    assert "web.port is 9999" in line
    assert warnings(parse("{web: {port: 9999}, alerts: {base_url: 'http://here:9999'}}")) == []


@pytest.mark.parametrize("text", ["", "web: {host: 0.0.0.0, token: secret}", "receivers: {grpc: {host: '::1'}}"])
def test_what_is_on_loopback_or_has_a_token_is_no_warning(text: str) -> None:
    assert warnings(parse(text)) == []


def test_a_missing_secret_is_told_with_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "groundwatch.yaml"
    path.write_text("receivers: {grpc: {token_env: GROUNDWATCH_TEST_NOWHERE}}")
    assert main(["check", str(path)]) == 1
    assert f"groundwatch: {path}: receivers.grpc: token_env" in capsys.readouterr().err


def test_a_taken_port_is_told_in_one_line_that_says_what_to_set(tmp_path: Path) -> None:
    path = tmp_path / "groundwatch.yaml"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        path.write_text(f"receivers: {{grpc: {{port: {port}}}, http: null}}\nweb: {{port: 0}}\nlog_level: error")
        # A process of its own: gRPC reads once what it may log.
        command = [sys.executable, "-m", "collector", "run", "-c", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert f"127.0.0.1:{port}: it is in use (another groundwatch?)" in line
    assert "receivers.grpc.port" in line
