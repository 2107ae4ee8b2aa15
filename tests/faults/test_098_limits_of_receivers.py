"""Row 98: whatever an alert holds, a receiver gets no more than it takes, and is told what is missing."""

import hashlib
from dataclasses import replace

import orjson

from alerts.findings import Finding
from alerts.notifiers.pagerduty import BODY_LIMIT, SUMMARY_LIMIT, dedup_key, event
from alerts.notifiers.slack import HEADER_LIMIT, SECTION_LIMIT, TEXT_LIMIT, message
from alerts.signals import Signal
from tests.contracts.test_notifier import signal


def huge(size: int) -> Signal:
    text = "<&>" * (size // 3)
    made = signal(summary=text)
    bare = Finding("0" * 32, 0.0, "generation")
    finding = replace(bare, claim=text, quote=text, chunk=text, question=text, excerpt=text)
    return replace(made, description=text, traces=(replace(made.traces[0], finding=finding),) * 3)


def test_a_pagerduty_event_is_below_512000_bytes_and_counts_what_was_left_out() -> None:
    body = event([huge(60_000)] * 30, "key", "dedup")
    assert len(body) <= BODY_LIMIT
    sent = orjson.loads(body)
    shown, truncated = len(sent["payload"]["custom_details"]["alerts"]), sent["payload"]["custom_details"]["truncated"]
    assert shown + truncated == 30
    assert truncated > 0
    assert len(sent["payload"]["summary"]) <= SUMMARY_LIMIT == 1024
    assert sent["payload"]["summary"].endswith("… (and 29 more)")


def test_even_one_alert_that_is_too_large_leaves_an_event() -> None:
    body = event([huge(300_000)], "key", "dedup")
    assert len(body) <= BODY_LIMIT
    assert orjson.loads(body)["payload"]["custom_details"] == {"alerts": [], "truncated": 1}


def test_the_dedup_key_is_the_sha256_of_the_group_key() -> None:
    expected = hashlib.sha256(b"service\xc3\xbeshop-assistant").hexdigest()
    assert dedup_key(signal(), ("service",)) == expected
    assert dedup_key(signal(rule="other"), ("service",)) == expected
    assert dedup_key(signal(), ("service", "alertname")) != expected


def test_a_slack_message_keeps_to_the_limits_of_its_blocks() -> None:
    sent = message([huge(60_000)] * 100)
    blocks = sent["blocks"]
    assert isinstance(blocks, list)
    assert len(blocks) <= 50
    assert len(blocks[0]["text"]["text"]) <= HEADER_LIMIT
    assert all(len(block["text"]["text"]) <= SECTION_LIMIT for block in blocks if block["type"] == "section")
    assert len(str(sent["text"]).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")) <= TEXT_LIMIT
