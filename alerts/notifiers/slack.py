"""Slack: one message of blocks for a group of alerts (https://docs.slack.dev/reference/block-kit/blocks)."""

from collections.abc import Sequence
from typing import Literal, Self

import orjson
from pydantic import model_validator

from alerts.encoding import to_json
from alerts.notifiers.base import Notifier
from alerts.notifiers.grouped import GroupedSettings
from alerts.notifiers.http import HttpSettings, HttpTarget
from alerts.notifiers.wording import SHOWN, lines_of, links_of, rest_of, title_of
from alerts.redaction import shorten
from alerts.signals import Signal
from alerts.strict import SecretUrl, Url
from evaluators.clock import Clock
from evaluators.errors import GroundwatchError, PermanentError, RetryableError

HEADER_LIMIT = 150
SECTION_LIMIT = 3000
TEXT_LIMIT = 1024

_AGAIN = frozenset({"ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable"})


class SlackSettings(HttpSettings, GroupedSettings):
    """Either `url`, an incoming webhook, or a bot's `token` (`token_env`) with the `channel` to post to."""

    type: Literal["slack"]
    name: str = "slack"
    url: SecretUrl | None = None
    channel: str | None = None
    api_url: Url = "https://slack.com/api/chat.postMessage"

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        if (self.url is None) == (self.channel is None):
            raise ValueError("give `url` (an incoming webhook), or `channel` with token_env")
        has_token = self.token is not None or self.token_env is not None
        if has_token != (self.channel is not None):
            raise ValueError("`channel` and a token belong together")
        return self

    def build(self, clock: Clock) -> list[Notifier]:
        """One notifier."""
        return [Slack(self, clock)]


class Slack:
    """Posts a message per group."""

    def __init__(self, settings: SlackSettings, clock: Clock) -> None:
        self.name = settings.name
        self.policy = settings.policy
        self.timeout_s = settings.timeout
        self._channel = {"channel": settings.channel} if settings.channel else {}
        url = settings.url.get_secret_value() if settings.url else settings.api_url
        self._target = HttpTarget(
            url, clock, timeout_s=settings.timeout, headers=settings.headers, read_answer=read_answer
        )

    async def send(self, signals: Sequence[Signal]) -> None:
        """Post one group."""
        await self._target.post(to_json({**self._channel, **message(signals)}))

    async def aclose(self) -> None:
        """Close all connections."""
        await self._target.aclose()


def message(signals: Sequence[Signal]) -> dict[str, object]:
    """Blocks, and a text for notifications and old clients. Within Slack's limits whatever the group holds."""
    header = {"type": "plain_text", "text": title_of(signals, HEADER_LIMIT), "emoji": False}
    blocks: list[dict[str, object]] = [{"type": "header", "text": header}]
    for signal in signals[:SHOWN]:
        blocks.append(_section("\n".join(lines_of(signal))))
        if links := " · ".join(f"<{address}|{name}>" for address, name in links_of(signal)):
            blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": links[:SECTION_LIMIT]}]})
    if rest := rest_of(signals):
        blocks.append(_section(rest))
    # A preview would fetch whatever address a claim holds.
    quiet = {"unfurl_links": False, "unfurl_media": False}
    return {"text": escape(title_of(signals, TEXT_LIMIT)), "blocks": blocks, **quiet}


def escape(text: str) -> str:
    """What Slack would take as markup: a text cannot mention a channel or forge a link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def read_answer(body: bytes) -> GroundwatchError | None:
    """The Web API answers 200 to what it refused, and says why."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(answer, dict) or answer.get("ok") is not False:
        return None
    reason = shorten(str(answer.get("error", "unknown")), 60)
    known = reason if reason.replace("_", "").isalnum() else "unknown"
    return RetryableError(f"not ok: {known}") if known in _AGAIN else PermanentError(f"not ok: {known}")


def _section(text: str) -> dict[str, object]:
    # Plain: in other text Slack makes links of addresses and calls whom @here names, escaped or not.
    return {"type": "section", "text": {"type": "plain_text", "text": text[:SECTION_LIMIT], "emoji": False}}
