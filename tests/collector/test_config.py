"""A configuration is right, or every mistake in it is told at once, by path and without values."""

from pathlib import Path

import pytest

from collector.config import Config, load, parse
from evaluators.errors import PermanentError


def mistakes(text: str) -> list[str]:
    with pytest.raises(PermanentError) as caught:
        parse(text)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("text", ["", "{}", "# nothing"])
def test_an_empty_file_gives_the_defaults(text: str) -> None:
    assert parse(text) == Config()


def test_the_defaults_listen_on_loopback_only() -> None:
    config = Config()
    assert config.receivers.grpc is not None
    assert config.receivers.http is not None
    assert {config.receivers.grpc.host, config.receivers.http.host, config.web.host} == {"127.0.0.1"}


def test_every_mistake_is_told_at_once_with_its_path() -> None:
    lines = mistakes("""
receivers: {grpc: {port: 99999}}
judges:
  - metrics: [faithfulness, beauty]
    sampling: [{rate: 1.2}]
alerts:
  rules: [{name: mine, kind: window, metric: faithfulness, treshold: 0.4}]
colour: green
""")
    told = "\n".join(lines)
    for part in ("receivers.grpc.port", "judges[0].sampling[0].rate", "alerts.rules[0]", "colour"):
        assert part in told
    assert all(": " in line for line in lines)


def test_an_unknown_metric_is_told_with_the_known_ones() -> None:
    (line,) = mistakes("judges: [{metrics: [beauty]}]")
    assert "beauty" in line
    assert "faithfulness" in line


def test_no_message_repeats_a_secret() -> None:
    told = "\n".join(mistakes("receivers: {grpc: {port: 1, token: hunter2, tls_cert: hunter2.pem, nonsense: hunter2}}"))
    assert "hunter2" not in told


def test_two_listeners_on_one_port_are_a_mistake() -> None:
    (line,) = mistakes("receivers: {grpc: {port: 9464}}")
    assert line == "web.port: 9464 is also the port of receivers.grpc"


def test_port_zero_may_be_used_by_all() -> None:
    parse("{receivers: {grpc: {port: 0}, http: {port: 0}}, web: {port: 0}}")


def test_two_judges_of_one_name_are_a_mistake() -> None:
    (line,) = mistakes("judges: [{judge: {type: lexical}}, {judge: {type: lexical}}]")
    assert "two are called 'lexical'" in line


def test_a_rule_about_an_unknown_judge_is_a_mistake() -> None:
    (line,) = mistakes("alerts: {rules: [{name: low_faithfulness, judge: gpt}]}")
    assert "no judge is called 'gpt'" in line


def test_a_key_that_stands_twice_is_a_mistake() -> None:
    (line,) = mistakes("web: {port: 1}\nweb: {port: 2}")
    assert "line 2" in line
    assert "'web'" in line


@pytest.mark.parametrize("text", ["web: [", "- just a list", "web: {port: !!python/object:os.system 1}", "? [a]\n: b"])
def test_what_is_no_configuration_is_told_as_such(text: str) -> None:
    assert mistakes(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("web: {port: 2020-13-45}", "line 1, column 13: not a value of the type 'timestamp'"),
        ("drain_s: " + "9" * 5000, "line 1, column 10: not a value of the type 'int'"),
        ("drain_s: !!float x", "not a value of the type 'float'"),
        ("web: " + "[" * 20_000 + "]" * 20_000, "nested too deep"),
        ('cache: {path: "\\U99999999"}', "names no character"),
    ],
)
def test_yaml_that_its_parser_stumbles_over_is_told_as_such(text: str, said: str) -> None:
    (line,) = mistakes(text)
    assert said in line


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match=r"missing\.yaml: No such file"):
        load(tmp_path / "missing.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(PermanentError, match="not UTF-8"):
        load(tmp_path / "binary.yaml")


def test_a_receiver_can_be_turned_off() -> None:
    assert parse("receivers: {http: null}").receivers.http is None
