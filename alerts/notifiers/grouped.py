"""What receivers that people read have in common: groups of alerts, told together."""

from typing import Annotated

from pydantic import AfterValidator, Field

from alerts.notifiers.base import HOUR, Policy
from alerts.slices import label_name
from alerts.strict import Strict
from evaluators.duration import Duration, PositiveDuration

_Labels = Annotated[
    tuple[str, ...], AfterValidator(lambda names: tuple(map(label_name, names))), Field(strict=False, min_length=1)
]


class GroupedSettings(Strict):
    """Alerts that agree in the labels of `group_by` are one message, sent anew when one of them has news, but not more
    often than every `group_interval`."""

    group_by: _Labels = ("service",)
    group_interval: Duration = 60.0
    repeat_interval: PositiveDuration = 4 * HOUR

    @property
    def policy(self) -> Policy:
        """When such a receiver wants to hear of an alert."""
        return Policy(repeat_s=self.repeat_interval, group_by=self.group_by, group_interval_s=self.group_interval)
