"""Everything else that Apprise can reach: Teams, Discord, e-mail, Opsgenie ... (https://appriseit.com/services/).

Apprise says no more than that a message was not taken, so that every failure counts as one that may pass.
"""

import asyncio
import logging
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, SecretStr

from alerts.notifiers.base import Notifier
from alerts.notifiers.grouped import GroupedSettings
from alerts.notifiers.wording import is_over, text_of, title_of
from alerts.rules.base import Severity
from alerts.signals import Signal
from evaluators.clock import Clock
from evaluators.duration import PositiveDuration
from evaluators.errors import PermanentError, RetryableError

if TYPE_CHECKING:
    from apprise import Apprise

_MENTION = re.compile(r"@(?=everyone|here|channel)|(?<![^\s\"'(<])@(?=\w)|<(?=[!@#])")
"""Not the @ within an address: links would lead nowhere."""

TITLE_LIMIT = 250
BODY_LIMIT = 4000

_TYPES = {Severity.PAGE: "failure", Severity.TICKET: "warning", Severity.INFO: "info"}


class AppriseSettings(GroupedSettings):
    """`urls` as Apprise writes them, such as mailto://user:pass@example.org. They hold secrets and are not shown."""

    type: Literal["apprise"]
    name: str = "apprise"
    urls: Annotated[tuple[SecretStr, ...], Field(strict=False, min_length=1)]
    timeout: PositiveDuration = 30.0

    def build(self, clock: Clock) -> list[Notifier]:
        """One notifier for each address, so that none waits for another. Raises PermanentError without the library."""
        several = len(self.urls) > 1
        return [
            AppriseNotifier(f"{self.name}-{number}" if several else self.name, number, url.get_secret_value(), self)
            for number, url in enumerate(self.urls, start=1)
        ]


class AppriseNotifier:
    """One address."""

    def __init__(self, name: str, number: int, url: str, settings: AppriseSettings) -> None:
        self.name = name
        self.policy = settings.policy
        self.timeout_s = settings.timeout
        self._receiver = _receiver(number, url)

    async def send(self, signals: Sequence[Signal]) -> None:
        """Tell one group, off the event loop."""
        kind = "success" if is_over(signals) else _TYPES[signals[0].severity]
        title = without_mentions(title_of(signals, TITLE_LIMIT))
        body = without_mentions(text_of(signals, BODY_LIMIT))
        # Told that it is text, Apprise escapes it for services that take HTML.
        taken = await asyncio.to_thread(
            self._receiver.notify, body=body, title=title, notify_type=kind, body_format="text"
        )
        if not taken:
            raise RetryableError("apprise: the message was not taken")

    async def aclose(self) -> None:
        """Nothing is held open."""


def without_mentions(text: str) -> str:
    """With an invisible space where services would find a group to call, as in @everyone or <!channel>."""
    return _MENTION.sub("\\g<0>\u200b", text)


def _receiver(number: int, url: str) -> "Apprise":
    try:
        from apprise import Apprise
    except ModuleNotFoundError as error:
        raise PermanentError("apprise is not installed: pip install 'groundwatch[apprise]'") from error
    # Its messages quote addresses, which hold secrets.
    logging.getLogger("apprise").disabled = True
    receiver = Apprise()
    if not receiver.add(url):
        raise PermanentError(f"urls[{number - 1}] is no address that Apprise knows")
    return receiver
