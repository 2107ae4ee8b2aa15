"""A configuration is right, or every mistake in it is told at once, by path and without values."""

from pathlib import Path

import pytest

from alerts.rules.base import RuleSettings, Severity
from alerts.rules.defaults import DEFAULT_RULES
from alerts.rules.injection import InjectionRule
from collector.config import Config, load, parse
from evaluators.errors import PermanentError
from evaluators.sample import Place


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


@pytest.mark.parametrize("name", ["grpc", "http"])
def test_a_receiver_keeps_its_usual_port_where_only_the_host_is_set(name: str) -> None:
    receivers = parse(f"receivers: {{{name}: {{host: 0.0.0.0}}}}").receivers
    assert receivers.grpc is not None
    assert receivers.http is not None
    assert (receivers.grpc.port, receivers.http.port) == (4317, 4318)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("webb: {port: 1}", "webb: unknown key; did you mean 'web'?"),
        ("colour: green", "colour: unknown key"),
        ("5: green", "[5]: a key must be a word"),
        ("web: {prot: 1}", "web.prot: unknown key; did you mean 'port'?"),
        ("rules: []", "rules: belongs under `alerts:`"),
        ("judges: [{model: x}]", "judges[0].model: belongs under `judge:`"),
        (
            "judges: [{judge: {type: openai, model: m, timeout: 3, nonsense: 4}}]",
            "judges[0].judge.nonsense: unknown key",
        ),
        ("judges: {}", "judges: must be a list"),
        ("judges: [{judge: openai}]", "judges[0].judge: must hold keys: type ..."),
        ("judges: [{judge: {type: openai}}]", "judges[0].judge.model: is missing: it has no default"),
        ("web: here", "web: must hold keys: host, port, token, token_env"),
        ("drain_s: 0", "drain_s: must be greater than 0"),
        ("slices: [model name]", "slices[0]: is not an attribute: write its name as in gen_ai.request.model"),
        ("slices: [gen_ai.request.model, gen_ai.request.model]", "slices: gen_ai.request.model stands twice"),
        ("slices: [a, b, c, d, e]", "slices: must hold at most 4"),
        ("slices: [a.b, a_b]", "slices: a.b, a_b are one label"),
        (
            "prices:\n  *: {input_usd: 1, output_usd: 2}",
            "not valid YAML: line 2, column 4: what begins with * needs quotes",
        ),
        ("prices:\n  *-mini: 1", "not valid YAML: line 2, column 3: what begins with * needs quotes"),
        ("prices: {4: {input_usd: 1, output_usd: 2}}", "prices[4]: a key must be a word: put quotes around a number"),
        ("prices: {'': {input_usd: 1, output_usd: 2}}", "prices.: the key must not be empty"),
        (
            "prices: {m: {input_usd: 1.0e+308, output_usd: 2}}",
            "prices.m.input_usd: must be less than or equal to 1000000",
        ),
        ("prices: {m: {input_usd: .nan, output_usd: 2}}", "prices.m.input_usd: must be "),
        ("slices: gen_ai.request.model", "slices: must be a list"),
        ("alerts: {rules: [{name: i, kind: injection, places: [title]}]}", "alerts.rules[0].places[0]: must be 'chunk"),
        ("alerts: {rules: [{name: i, kind: injection, places: []}]}", "alerts.rules[0].places: must hold at least 1"),
        (
            "operator_rules: [{match: {gen_ai.tool.name: x}}]",
            "operator_rules[0].match.gen_ai.tool.name: attributes go under `attributes:`, so write attributes: {gen",
        ),
        ("chunk_store: {type: x}", "chunk_store: unknown type; use one of http, sqlite"),
        ("chunk_store: {url: x}", "chunk_store: type is missing: use one of http, sqlite"),
        (
            "alerts: {rules: [{name: w, kind: window, metric: faithfulness, treshold: 0.4}]}",
            "alerts.rules[0].treshold: unknown key; did you mean 'threshold'?",
        ),
        ("alerts: {rules: [{kind: windw, name: w}]}", "alerts.rules[0]: unknown kind; use one of trace, window, slo"),
        (
            "alerts: {rules: [{name: low_faithfullness, threshold: 0.4}]}",
            "alerts.rules[0]: no built-in rule has this name (did you mean 'low_faithfulness'?); a rule of your own",
        ),
        ("alerts: {rules: [{}]}", "alerts.rules[0]: a rule of your own needs kind: one of trace, window"),
    ],
)
def test_a_mistake_is_told_in_the_words_of_the_file(text: str, line: str) -> None:
    told = mistakes(text)
    assert any(one.startswith(line) for one in told), told


def test_a_wrong_judge_is_told_once_and_the_types_for_tests_are_not_offered() -> None:
    (line,) = mistakes("judges: [{judge: {type: openia, url: http://hunter2}}]")
    assert line == (
        "judges[0].judge: unknown type; use one of lexical, openai, anthropic, subprocess, http, ragas, deepeval"
    )


def test_what_does_not_go_together_is_told_beside_mistakes_elsewhere() -> None:
    told = mistakes("""
colour: green
receivers: {grpc: {host: 5}}
alerts: {rules: [{name: low_faithfulness, judge: gpt}]}
""")
    assert told == [
        "receivers.grpc.host: must be a valid string",
        "colour: unknown key",
        "alerts.rules.low_faithfulness: no judge is called 'gpt'; there are ['lexical']",
    ]


def test_every_line_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "groundwatch.yaml"
    path.write_text("colour: green\nweb: here")
    with pytest.raises(PermanentError) as caught:
        load(path)
    told = str(caught.value).splitlines()
    assert len(told) == 2
    assert all(line.startswith(f"{path}: ") for line in told)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("", "http://127.0.0.1:9464"),
        ("web: {host: 0.0.0.0, port: 9999}", "http://127.0.0.1:9999"),
        ("web: {host: '::1'}", "http://[::1]:9464"),
        ("{web: {port: 9999}, alerts: {base_url: 'https://pages.example'}}", "https://pages.example"),
    ],
)
def test_the_pages_are_where_alerts_link_to_or_else_on_this_machine(text: str, url: str) -> None:
    assert parse(text).pages_url == url


LLM = "judges: [{judge: {type: openai, model: gpt-4o-mini}, lane: {budget: {usd_per_day: 5}}}]\n"


def test_prices_are_by_model_or_pattern() -> None:
    config = parse(LLM + "prices: {gpt-4o*: {input_usd: 0.15, output_usd: 0.6}}")
    assert config.prices["gpt-4o*"].of(1_000_000, 1_000_000) == pytest.approx(0.75)


def test_a_cap_in_dollars_without_a_price_is_a_mistake_that_says_what_to_add() -> None:
    (line,) = mistakes(LLM + "prices: {claude*: {input_usd: 1, output_usd: 2}}")
    assert line.startswith("judges[0].lane.budget.usd_per_day: its model has no price: add prices: {'gpt-4o-mini': ")


def test_a_cap_in_dollars_of_a_judge_that_tells_no_tokens_is_a_mistake() -> None:
    (line,) = mistakes("judges: [{judge: {type: lexical}, lane: {budget: {usd_per_day: 5}}}]")
    assert line == "judges[0].lane.budget.usd_per_day: a judge of type lexical tells no tokens: use calls_per_day"


def test_a_cap_in_dollars_of_a_judge_that_costs_nothing_is_a_mistake() -> None:
    (line,) = mistakes(LLM + "prices: {gpt-4o*: {input_usd: 0, output_usd: 0}}")
    assert line.startswith("judges[0].lane.budget.usd_per_day: its model costs nothing by prices")


def test_a_mistake_in_a_price_is_told_at_its_place_and_not_as_a_missing_price() -> None:
    lines = mistakes(LLM + "prices: {gpt-4o*: {input_usd: -1, usd: 2}}")
    assert [line.partition(":")[0] for line in lines] == [
        "prices.gpt-4o*.input_usd",
        "prices.gpt-4o*.output_usd",
        "prices.gpt-4o*.usd",
    ]


@pytest.mark.parametrize("rule", DEFAULT_RULES, ids=lambda rule: rule.name)
def test_every_built_in_rule_is_changed_by_its_name(rule: RuleSettings) -> None:
    (changed,) = parse(f"alerts: {{rules: [{{name: {rule.name}, severity: page}}]}}").alerts.rules
    assert changed == rule.model_copy(update={"severity": Severity.PAGE})


def test_an_injection_rule_is_about_the_places_that_it_names() -> None:
    (rule,) = parse("alerts: {rules: [{name: mine, kind: injection, places: [question, chunk]}]}").alerts.rules
    assert isinstance(rule, InjectionRule)
    assert rule.places == (Place.QUESTION, Place.CHUNK)
