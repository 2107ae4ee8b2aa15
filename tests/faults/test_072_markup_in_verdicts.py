"""Row 72: addresses, images, HTML and mentions in what a judge or an answer says are text everywhere, never fetched."""

from dataclasses import replace

import orjson
import pytest

from alerts.evidence.trace_page import trace_page
from alerts.explain import Links
from alerts.findings import Finding
from alerts.notifiers.apprise import AppriseSettings, without_mentions
from alerts.notifiers.slack import SlackSettings
from alerts.notifiers.webhook import WebhookSettings
from alerts.signals import Signal
from alerts.store import VerdictStore
from evaluators.evaluation import Assessment
from evaluators.facets import ClaimSupport
from tests.contracts.test_notifier import signal
from tests.fakes import FakeClock, ReceiverStub
from tests.verdicts import CONTRADICTED, contradicted


def hostile(url: str) -> str:
    return f"@here <!channel> <@U123> ![x]({url}/pixel.png) <img src='{url}/pixel.png'> <{url}|click> {url}"


def verdict(text: str) -> Assessment:
    made = contradicted(1)
    claim = replace(CONTRADICTED, claim=text, quote=text)
    sample = replace(made.sample, question=text, answer=text)
    return replace(made, sample=sample, answers=replace(made.answers, claim_support=ClaimSupport((claim,))))


def told(text: str) -> Signal:
    finding = Finding.of(verdict(text), 0.0)
    return signal(summary=f"answer says {text}", traces=(Links("http://127.0.0.1:9464").cite(finding, "full"),))


async def test_072_slack_gets_plain_text_and_makes_no_previews() -> None:
    async with ReceiverStub() as elsewhere, ReceiverStub() as slack:
        (notifier,) = SlackSettings.model_validate({"type": "slack", "url": slack.url}).build(FakeClock())
        await notifier.send([told(hostile(elsewhere.url))])
        await notifier.aclose()
        sent = orjson.loads(slack.bodies[0])
        assert not elsewhere.bodies
    assert (sent["unfurl_links"], sent["unfurl_media"]) == (False, False)
    assert "<" not in sent["text"]
    for block in sent["blocks"]:
        if block["type"] != "context":
            assert block["text"]["type"] == "plain_text"
    assert "pixel" not in orjson.dumps([block for block in sent["blocks"] if block["type"] == "context"]).decode()


async def test_072_a_webhook_gets_it_as_data_and_nobody_fetches_it() -> None:
    async with ReceiverStub() as elsewhere, ReceiverStub() as hook:
        (notifier,) = WebhookSettings.model_validate({"type": "webhook", "url": hook.url}).build(FakeClock())
        await notifier.send([told(hostile(elsewhere.url))])
        await notifier.aclose()
        assert not elsewhere.bodies
    (one,) = orjson.loads(hook.bodies[0])["signals"]
    assert "<img src=" in one["traces"][0]["claim"]


async def test_072_services_that_take_html_get_it_escaped() -> None:
    pytest.importorskip("apprise")
    async with ReceiverStub() as service:
        url = service.url.replace("http://", "json://") + "/?format=html"
        (notifier,) = AppriseSettings.model_validate({"type": "apprise", "urls": [url]}).build(FakeClock())
        await notifier.send([told(hostile("http://127.0.0.1:9"))])
    message = orjson.loads(service.bodies[0])["message"]
    assert "<img" not in message
    assert "&lt;img" in message


@pytest.mark.parametrize("text", ["@everyone", "now@here", '"@team"', "<!channel>", "<@U123>", "<#C1>", "<@&42>"])
def test_072_nobody_is_called_by_a_mention(text: str) -> None:
    assert text not in without_mentions(text)


@pytest.mark.parametrize("text", ["https://user@host.example.org/a", "a < b", "write to a@example.org"])
def test_072_what_is_no_mention_stays(text: str) -> None:
    assert without_mentions(text) == text


def test_072_the_evidence_page_shows_it_as_text() -> None:
    store = VerdictStore(FakeClock())
    store.record(verdict(hostile("http://127.0.0.1:9")))
    record = store.get(contradicted(1).sample.trace_id)
    assert record is not None
    page = trace_page(record)
    assert "<img" not in page
    assert "pixel.png" in page
    assert 'href="http://127.0.0.1:9' not in page
