"""What every notifier promises. A new one adds a rig here and passes."""

import hashlib
import hmac
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest

from alerts.explain import Links
from alerts.findings import Finding
from alerts.notifiers.alertmanager import AlertmanagerSettings
from alerts.notifiers.base import Notifier
from alerts.notifiers.jsonlines import JsonLinesSettings
from alerts.notifiers.pagerduty import PagerDutySettings
from alerts.notifiers.slack import SlackSettings
from alerts.notifiers.webhook import WebhookSettings, cloudevent
from alerts.rules import Severity
from alerts.signals import Signal, SignalState
from evaluators.errors import PermanentError, RetryableError
from evaluators.statistics import wilson
from tests.fakes import FakeClock, ReceiverStub, StubReply
from tests.verdicts import contradicted

SECRETS = ("s3cret-token", "s3cret-path", "s3cret-hmac", "s3cret-user", "s3cret-key")


def signal(service: str = "shop-assistant", **changes: object) -> Signal:
    """A full signal."""
    finding = Finding.of(contradicted(1), 0.0)
    known: dict[str, Any] = {
        "rule": "contradicted_claim",
        "severity": Severity.TICKET,
        "service": service,
        "metric": "faithfulness",
        "judge": "lexical",
        "starts_at": 1_800_000_000.0,
        "summary": f'faithfulness of {service}: answer says "90 days", chunk refund-policy#1 says "30 days"',
        "estimate": wilson(3, 40),
        "traces": (Links("http://127.0.0.1:9464").cite(finding, "full"),),
        "url": "http://127.0.0.1:9464/traces/1",
    }
    return Signal(**(known | changes))


@dataclass
class HttpRig:
    """How to build a notifier for a URL and a timeout, and how to read the services of the signals in a body."""

    build: Callable[[str, float], Notifier]
    services: Callable[[bytes], list[str]]
    content_type: str = "application/json"
    authorization: str | None = "Bearer s3cret-token"
    good: StubReply = field(default_factory=StubReply)


def _alertmanager(url: str, timeout: float) -> Notifier:
    settings = {"type": "alertmanager", "urls": [f"{url}/s3cret-path"], "token": "s3cret-token", "timeout": timeout}
    return AlertmanagerSettings.model_validate(settings).build(FakeClock())[0]


def _webhook(url: str, timeout: float) -> Notifier:
    address = url + "/s3cret-path?key=s3cret-token"
    settings = {"type": "webhook", "url": address, "token": "s3cret-token", "secret": "s3cret-hmac", "timeout": timeout}
    return WebhookSettings.model_validate(settings).build(FakeClock())[0]


def _cloudevents(url: str, timeout: float) -> Notifier:
    settings = {"type": "webhook", "url": url, "token": "s3cret-token", "timeout": timeout, "format": "cloudevents"}
    return WebhookSettings.model_validate(settings).build(FakeClock())[0]


def _pagerduty(url: str, timeout: float) -> Notifier:
    settings = {"type": "pagerduty", "url": f"{url}/v2/enqueue", "routing_key": "s3cret-key", "timeout": timeout}
    return PagerDutySettings.model_validate(settings).build(FakeClock())[0]


def _slack_webhook(url: str, timeout: float) -> Notifier:
    settings = {"type": "slack", "url": f"{url}/services/s3cret-path", "timeout": timeout}
    return SlackSettings.model_validate(settings).build(FakeClock())[0]


def _slack_bot(url: str, timeout: float) -> Notifier:
    settings = {
        "type": "slack",
        "api_url": f"{url}/api",
        "token": "s3cret-token",
        "channel": "#rag",
        "timeout": timeout,
    }
    return SlackSettings.model_validate(settings).build(FakeClock())[0]


def _slack_services(body: bytes) -> list[str]:
    texts = [block["text"]["text"] for block in orjson.loads(body)["blocks"] if block["type"] == "section"]
    return [text.partition(": ")[0].removeprefix("faithfulness of ") for text in texts]


HTTP = {
    "alertmanager": HttpRig(_alertmanager, lambda body: [one["labels"]["service"] for one in orjson.loads(body)]),
    "webhook": HttpRig(_webhook, lambda body: [one["service"] for one in orjson.loads(body)["signals"]]),
    "cloudevents": HttpRig(
        _cloudevents,
        lambda body: [one["data"]["service"] for one in orjson.loads(body)],
        content_type="application/cloudevents-batch+json; charset=UTF-8",
    ),
    "pagerduty": HttpRig(
        _pagerduty,
        lambda body: [one["service"] for one in orjson.loads(body)["payload"]["custom_details"]["alerts"]],
        authorization=None,
        good=StubReply(b'{"status":"success","dedup_key":"x"}', 202),
    ),
    "slack webhook": HttpRig(_slack_webhook, _slack_services, authorization=None, good=StubReply(b"ok")),
    "slack bot": HttpRig(_slack_bot, _slack_services, good=StubReply(b'{"ok":true}')),
}


@pytest.fixture(params=HTTP)
def rig(request: pytest.FixtureRequest) -> HttpRig:
    return HTTP[request.param]


@asynccontextmanager
async def connected(rig: HttpRig, *script: StubReply) -> AsyncIterator[tuple[Notifier, ReceiverStub]]:
    async with ReceiverStub(*script) as receiver:
        is_silent = any(reply.delay_s for reply in script)
        notifier = rig.build(receiver.url, 0.3 if is_silent else 10.0)
        try:
            yield notifier, receiver
        finally:
            await notifier.aclose()


@pytest.mark.parametrize("status", [200, 201, 202, 204])
async def test_an_accepted_batch_returns_and_holds_every_signal(rig: HttpRig, status: int) -> None:
    async with connected(rig, StubReply(status=status)) as (notifier, receiver):
        await notifier.send([signal("a"), signal("b")])
        assert rig.services(receiver.bodies[0]) == ["a", "b"]
        assert receiver.headers[0]["Content-Type"] == rig.content_type
        assert receiver.headers[0].get("Authorization") == rig.authorization


async def test_the_answer_of_a_real_receiver_is_taken(rig: HttpRig) -> None:
    async with connected(rig, rig.good) as (notifier, _):
        await notifier.send([signal()])


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
async def test_what_may_pass_is_retryable(rig: HttpRig, status: int) -> None:
    async with connected(rig, StubReply(status=status)) as (notifier, _):
        with pytest.raises(RetryableError, match=f"HTTP {status}"):
            await notifier.send([signal()])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 413, 422])
async def test_what_cannot_pass_is_final(rig: HttpRig, status: int) -> None:
    async with connected(rig, StubReply(status=status)) as (notifier, _):
        with pytest.raises(PermanentError, match=f"HTTP {status}"):
            await notifier.send([signal()])


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("30", 30.0), ("Fri, 15 Jan 2027 08:02:00 GMT", 120.0), ("soon", None), ("86400", 86_400.0)],
)
async def test_the_receiver_says_when_to_come_back(rig: HttpRig, value: str, seconds: float | None) -> None:
    async with connected(rig, StubReply(status=429, headers={"Retry-After": value})) as (notifier, _):
        with pytest.raises(RetryableError) as caught:
            await notifier.send([signal()])
        assert caught.value.retry_after == seconds


async def test_redirects_are_refused(rig: HttpRig) -> None:
    async with (
        ReceiverStub() as elsewhere,
        connected(rig, StubReply(status=307, headers={"Location": elsewhere.url})) as (notifier, _),
    ):
        with pytest.raises(PermanentError, match="redirects are not followed"):
            await notifier.send([signal()])
        assert elsewhere.bodies == []


async def test_silence_ends_in_time_and_is_retryable(rig: HttpRig) -> None:
    async with connected(rig, StubReply(delay_s=30.0)) as (notifier, _):
        with pytest.raises(RetryableError, match="no answer in time"):
            await notifier.send([signal()])


async def test_an_endless_answer_is_not_read(rig: HttpRig) -> None:
    async with connected(rig, StubReply(b"x" * 65_536, endless=True)) as (notifier, _):
        await notifier.send([signal()])


async def test_a_receiver_that_is_not_there_is_retryable(rig: HttpRig) -> None:
    notifier = rig.build("http://127.0.0.1:1", 10.0)
    with pytest.raises(RetryableError):
        await notifier.send([signal()])
    await notifier.aclose()


@pytest.mark.parametrize(
    "reply",
    [
        StubReply(b"s3cret-token is wrong", status=401),
        StubReply(b"s3cret-token", status=503),
        StubReply(delay_s=30.0),
        None,
    ],
    ids=["final", "retryable", "timeout", "unreachable"],
)
async def test_no_message_and_no_log_holds_a_secret(
    rig: HttpRig, reply: StubReply | None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        async with connected(rig, reply or StubReply()) as (notifier, receiver):
            reached = notifier if reply else rig.build("http://127.0.0.1:1", 10.0)
            with pytest.raises((PermanentError, RetryableError)) as caught:
                await reached.send([signal()])
            await reached.aclose()
    shown = f"{caught.value!r} {caught.value} {caught.value.__cause__!r} {caplog.text} {notifier!r}"
    assert not [secret for secret in SECRETS if secret in shown]
    assert "http://127.0.0.1" in shown
    assert receiver.url.startswith("http://127.0.0.1")


def _hostile() -> Signal:
    text = "\ud800\x00\u202e{{ .Labels }} <script>" + "x" * 10_000
    return signal(text, summary=f"faithfulness of x: {text[:300]}")


async def test_any_text_is_carried_without_harm(rig: HttpRig) -> None:
    async with connected(rig) as (notifier, receiver):
        await notifier.send([_hostile()])
        receiver.bodies[0].decode("utf-8")
        assert len(rig.services(receiver.bodies[0])) == 1


async def test_the_largest_batch_stays_small(rig: HttpRig) -> None:
    """Half a megabyte: PagerDuty's limit of an event, the lowest of those that people forward to."""
    async with connected(rig) as (notifier, receiver):
        most = 2000 if notifier.policy.group_by else notifier.policy.batch
        await notifier.send([signal(f"service-{n}") for n in range(most)])
        assert len(receiver.bodies[0]) < 512_000


def test_a_cloudevent_has_the_same_id_when_the_same_is_told_again_and_another_when_it_is_over() -> None:
    first, again = cloudevent(signal()), cloudevent(signal())
    over = cloudevent(signal(state=SignalState.RESOLVED, ends_at=1_800_000_060.0))
    assert first == again
    assert over["id"] != first["id"]
    assert (first["specversion"], first["type"], over["type"]) == (
        "1.0",
        "groundwatch.signal.firing",
        "groundwatch.signal.resolved",
    )
    assert (first["subject"], over["time"]) == ("shop-assistant", "2027-01-15T08:01:00.000Z")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b'{"ok":false,"error":"channel_not_found"}', PermanentError),
        (b'{"ok":false,"error":"invalid_auth"}', PermanentError),
        (b'{"ok":false,"error":"ratelimited"}', RetryableError),
        (b'{"ok":false,"error":"fatal_error"}', RetryableError),
        (b'{"ok":false}', PermanentError),
    ],
)
async def test_slack_says_200_to_what_it_refused(body: bytes, error: type[Exception]) -> None:
    async with connected(HTTP["slack bot"], StubReply(body)) as (notifier, _):
        with pytest.raises(error, match="not ok: "):
            await notifier.send([signal()])


async def test_slack_shows_evidence_trace_and_runbook_and_takes_no_markup_from_a_trace() -> None:
    told = signal(summary="<!channel> & <https://evil.example.org|click>", runbook="https://wiki.example.org/r")
    async with connected(HTTP["slack bot"]) as (notifier, receiver):
        await notifier.send([told])
    sent = orjson.loads(receiver.bodies[0])
    assert sent["channel"] == "#rag"
    section, links = sent["blocks"][1]["text"], sent["blocks"][2]["elements"][0]["text"]
    assert section["type"] == "plain_text"
    assert section["text"].startswith("<!channel> & <https://evil.example.org|click>\nAnswer: ")
    assert "<http://127.0.0.1:9464/traces/1|evidence>" in links
    assert "<https://wiki.example.org/r|runbook>" in links
    assert "<!channel>" not in links + sent["text"]


async def test_pagerduty_triggers_one_incident_per_group_and_resolves_it_with_its_last_alert() -> None:
    over = {"state": SignalState.RESOLVED, "ends_at": 1_800_000_060.0}
    async with connected(HTTP["pagerduty"]) as (notifier, receiver):
        await notifier.send([signal(severity=Severity.PAGE), signal(rule="other")])
        await notifier.send([signal(severity=Severity.PAGE), signal(rule="other", **over)])
        await notifier.send([signal(severity=Severity.PAGE, **over)])
        await notifier.send([signal("bot")])
    events = [orjson.loads(body) for body in receiver.bodies]
    assert [one["event_action"] for one in events] == ["trigger", "trigger", "resolve", "trigger"]
    assert len({one["dedup_key"] for one in events[:3]}) == 1
    assert events[3]["dedup_key"] != events[0]["dedup_key"]
    assert events[0]["payload"]["severity"] == "critical"
    assert events[0]["payload"]["summary"].startswith("[page] faithfulness of shop-assistant: answer says")
    assert events[0]["payload"]["summary"].endswith("(and 1 more)")
    assert events[0]["payload"]["source"] == "shop-assistant"
    assert events[0]["routing_key"] == "s3cret-key"


async def test_the_webhook_is_signed_over_timestamp_and_body() -> None:
    async with connected(HTTP["webhook"]) as (notifier, receiver):
        await notifier.send([signal()])
    headers, body = receiver.headers[0], receiver.bodies[0]
    timestamp = headers["X-Groundwatch-Timestamp"]
    expected = hmac.new(b"s3cret-hmac", timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    assert timestamp == "1800000000"
    assert headers["X-Groundwatch-Signature"] == f"sha256={expected}"


async def test_a_webhook_without_secret_is_not_signed() -> None:
    async with ReceiverStub() as receiver:
        (notifier,) = WebhookSettings.model_validate({"type": "webhook", "url": receiver.url}).build(FakeClock())
        await notifier.send([signal()])
        await notifier.aclose()
    assert "X-Groundwatch-Signature" not in receiver.headers[0]


def _lines(path: Path) -> Notifier:
    return JsonLinesSettings(type="jsonlines", path=str(path)).build(FakeClock())[0]


async def test_json_lines_are_appended_one_a_signal(tmp_path: Path) -> None:
    path = tmp_path / "signals.jsonl"
    notifier = _lines(path)
    await notifier.send([signal("a"), signal("b")])
    await notifier.send([signal("c")])
    assert [orjson.loads(line)["service"] for line in path.read_bytes().splitlines()] == ["a", "b", "c"]


async def test_json_lines_go_to_a_new_file_after_rotation(tmp_path: Path) -> None:
    path = tmp_path / "signals.jsonl"
    notifier = _lines(path)
    await notifier.send([signal("a")])
    path.rename(tmp_path / "signals.1")
    await notifier.send([signal("b")])
    assert orjson.loads(path.read_bytes())["service"] == "b"


async def test_json_lines_that_cannot_be_written_are_retryable(tmp_path: Path) -> None:
    with pytest.raises(RetryableError, match="cannot write: No such file or directory"):
        await _lines(tmp_path / "missing" / "signals.jsonl").send([signal()])


async def test_json_lines_carry_any_text_without_harm(tmp_path: Path) -> None:
    path = tmp_path / "signals.jsonl"
    await _lines(path).send([_hostile()])
    assert len(path.read_bytes().splitlines()) == 1


async def test_json_lines_are_written_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    await JsonLinesSettings(type="jsonlines").build(FakeClock())[0].send([signal()])
    assert orjson.loads(capfdbinary.readouterr().out)["service"] == "shop-assistant"


def test_settings_print_no_secret() -> None:
    am = AlertmanagerSettings.model_validate(
        {"type": "alertmanager", "urls": ["http://s3cret-user:pw@am:9093"], "timeout": "5s"}
    )
    hook = WebhookSettings.model_validate({"type": "webhook", "url": "http://h/s3cret-path", "secret": "s3cret-hmac"})
    shown = f"{am!r} {am} {am.model_dump()} {am.model_dump_json()} {hook!r} {hook.model_dump_json()}"
    assert not [secret for secret in SECRETS if secret in shown]
