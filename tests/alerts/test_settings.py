from typing import Any

import pytest
from pydantic import ValidationError

from alerts.notifiers.registry import build_notifiers
from alerts.rules import BurnRateRule, TraceRule, WindowRule
from alerts.settings import AlertSettings
from tests.fakes import FakeClock


def test_every_default_works_without_a_file() -> None:
    settings = AlertSettings()
    assert [rule.name for rule in settings.active_rules] == [
        "contradicted_claim",
        "high_hallucination",
        "low_faithfulness",
        "empty_retrieval",
        "suspected_injection",
        "low_coverage",
        "judge_unavailable",
        "no_data",
    ]
    assert [notifier.name for notifier in build_notifiers(settings.notifiers, FakeClock())] == ["jsonlines"]


def test_a_rule_named_like_a_default_one_says_only_what_is_different() -> None:
    settings = AlertSettings.model_validate({"rules": [{"name": "low_faithfulness", "threshold": 0.3, "window": "1h"}]})
    rule = next(rule for rule in settings.active_rules if rule.name == "low_faithfulness")
    assert isinstance(rule, WindowRule)
    assert (rule.threshold, rule.window, rule.metric) == (0.3, 3600.0, "faithfulness")
    assert rule.baseline is not None


def test_a_default_rule_can_be_turned_off_and_so_can_all() -> None:
    off = AlertSettings.model_validate({"rules": [{"name": "no_data", "enabled": False}]})
    assert "no_data" not in [rule.name for rule in off.active_rules]
    mine = {"kind": "trace", "name": "mine", "contradicted": True}
    only = AlertSettings.model_validate({"default_rules": False, "rules": [mine]})
    assert [type(rule) for rule in only.active_rules] == [TraceRule]


def test_a_default_name_can_be_given_to_a_rule_of_another_kind() -> None:
    rule = {"name": "no_data", "kind": "trace", "contradicted": True}
    settings = AlertSettings.model_validate({"rules": [rule]})
    assert isinstance(settings.active_rules[-1], TraceRule)


def test_an_objective_is_as_many_rules_as_it_has_burns() -> None:
    settings = AlertSettings.model_validate(
        {"default_rules": False, "rules": [{"kind": "slo", "name": "shop", "objective": 0.96, "services": ["shop-*"]}]}
    )
    page, ticket = settings.active_rules
    assert isinstance(page, BurnRateRule)
    assert isinstance(ticket, BurnRateRule)
    assert (page.name, page.severity, page.factor, page.long, page.short) == ("shop_page", "page", 14.4, 3600.0, 300.0)
    assert (ticket.name, ticket.factor, ticket.long, ticket.short) == ("shop_ticket", 6.0, 21_600.0, 1800.0)
    assert page.services == ticket.services == ("shop-*",)
    assert "shop_page" in ticket.inhibited_by


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rulez": []}, "Extra inputs are not permitted"),
        ({"rules": "no_data"}, "valid tuple"),
        ({"rules": ["no_data"]}, "valid dictionary"),
        ({"rules": [{"name": "no_data"}, {"name": "no_data"}]}, "more than one is called no_data"),
        ({"notifiers": [{"type": "jsonlines"}, {"type": "jsonlines"}]}, "more than one is called jsonlines"),
        ({"notifiers": [{"type": "smoke_signal"}]}, "does not match any of the expected tags"),
        ({"notifiers": [{"type": "webhook"}]}, "Field required"),
        ({"notifiers": [{"type": "webhook", "url": "hooks.example.org"}]}, "is not a URL"),
        ({"notifiers": [{"type": "webhook", "url": "file:///etc/passwd"}]}, "is not a URL"),
        ({"notifiers": [{"type": "alertmanager", "urls": []}]}, "at least 1 item"),
        (
            {"notifiers": [{"type": "alertmanager", "urls": ["http://am:9093"], "labels": {"no-dash": "x"}}]},
            "is not a label name",
        ),
        (
            {"notifiers": [{"type": "webhook", "url": "http://h", "secret_env": "GROUNDWATCH_NOT_SET"}]},
            "the environment variable GROUNDWATCH_NOT_SET is not set",
        ),
        ({"notifiers": [{"type": "webhook", "url": "http://h", "secret": "a", "secret_env": "PATH"}]}, "not both"),
        ({"notifiers": [{"type": "webhook", "url": "http://u:p@h", "token": "t"}]}, "in the URL, not both"),
        (
            {"rules": [{"name": "no_data", "inhibited_by": ["low_coverage", "moon"]}]},
            "inhibited_by names moon, which is neither a rule nor a kind",
        ),
        (
            {"rules": [{"name": "a", "kind": "slo"}, {"name": "a_page", "kind": "no_data"}]},
            "more than one comes to be called a_page",
        ),
        ({"runbook_url": "https://wiki.example.org/"}, "put {rule} where the name of the rule belongs"),
        (
            {"trace_backend": {"type": "langfuse", "url": "https://langfuse.example.org"}},
            "`project` belongs to langfuse",
        ),
        (
            {"trace_url": "http://t/{trace_id}", "trace_backend": {"type": "jaeger", "url": "http://j"}},
            "give trace_url or trace_backend, not both",
        ),
        (
            {"notifiers": [{"type": "slack", "url": "http://s", "group_by": ["servce"]}]},
            "group_by names servce, a label that no alert has",
        ),
        ({"notifiers": [{"type": "slack"}]}, "give `url` (an incoming webhook), or `channel` with token_env"),
        ({"notifiers": [{"type": "slack", "channel": "#rag"}]}, "`channel` and a token belong together"),
        ({"notifiers": [{"type": "pagerduty"}]}, "give routing_key_env"),
        ({"trace_url": "https://tempo.example.org/"}, "put {trace_id} where the id belongs"),
        ({"base_url": "watch.example.org"}, "is not a URL"),
        ({"content": "everything"}, "'full' or 'ids'"),
        ({"max_services": "500"}, "valid integer"),
    ],
)
def test_wrong_settings_are_refused_with_what_is_wrong(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message.replace("(", r"\(").replace(")", r"\)")):
        AlertSettings.model_validate(settings)


def test_several_alertmanagers_are_as_many_notifiers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AM_TOKEN", "t")
    settings = AlertSettings.model_validate(
        {
            "notifiers": [
                {"type": "alertmanager", "urls": ["http://a:9093", "http://b:9093/am/"], "token_env": "AM_TOKEN"},
                {"type": "webhook", "url": "http://hook/x", "repeat_interval": "1h", "timeout": "2s"},
            ]
        }
    )
    notifiers = build_notifiers(settings.notifiers, FakeClock())
    assert [notifier.name for notifier in notifiers] == ["alertmanager-1", "alertmanager-2", "webhook"]
    assert (notifiers[2].policy.repeat_s, notifiers[2].timeout_s) == (3600.0, 2.0)
