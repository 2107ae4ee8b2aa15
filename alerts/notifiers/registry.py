"""Which notifiers there are: a new one is a new file and a part of `NotifierSettings`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import Field

from alerts.notifiers.alertmanager import AlertmanagerSettings
from alerts.notifiers.apprise import AppriseSettings
from alerts.notifiers.base import Notifier
from alerts.notifiers.jsonlines import JsonLinesSettings
from alerts.notifiers.kafka import KafkaSettings
from alerts.notifiers.pagerduty import PagerDutySettings
from alerts.notifiers.slack import SlackSettings
from alerts.notifiers.webhook import WebhookSettings
from evaluators.clock import Clock

NotifierSettings = Annotated[
    AlertmanagerSettings
    | WebhookSettings
    | PagerDutySettings
    | SlackSettings
    | KafkaSettings
    | AppriseSettings
    | JsonLinesSettings,
    Field(discriminator="type"),
]


def build_notifiers(settings: Sequence[NotifierSettings], clock: Clock) -> list[Notifier]:
    """The notifiers of a configuration."""
    return [notifier for one in settings for notifier in one.build(clock)]


def repeated_names(settings: Iterable[NotifierSettings]) -> list[str]:
    """Names that more than one notifier has."""
    return [name for name, count in Counter(one.name for one in settings).items() if count > 1]
