"""The contract of a notifier."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from alerts.signals import Signal

HOUR = 3600.0

UPDATE_S = 900.0
"""Programs that take single events hear of another failing claim after so long."""


@dataclass(frozen=True, slots=True)
class Policy:
    """When a receiver wants to hear of an alert.

    All hear of it when it is raised and when it is resolved. `repeat_s`: again while it lasts, this often.
    `update_s`: again as soon as it leads with another claim, but not more often.
    `resolved_for_s`: a resolved one is repeated, every `repeat_s`, for so long. `give_up_s`: a signal that could not
    be handed over for so long is dropped. `batch`: at most so many signals at once. `group_by`: labels; alerts that
    agree in them are handed over together, all that there are, and whenever one of them has news, but not more often
    than every `group_interval_s`.
    """

    repeat_s: float = 4 * HOUR
    update_s: float = math.inf
    resolved_for_s: float = 0.0
    give_up_s: float = HOUR
    batch: int = 50
    group_by: tuple[str, ...] = ()
    group_interval_s: float = 60.0


class Notifier(Protocol):
    """Hands signals to one receiver.

    `send` takes at most `policy.batch` signals, or one group of any size, and returns once the receiver has taken all
    of them. It raises PermanentError where trying again cannot help, RetryableError where it may; neither message holds
    a secret or a text of a trace. It has no queue, no retry and no loop: the pipeline has. `name` is a label and is
    unique. `send` is never called twice at a time, and is cancelled when it takes longer than `timeout_s`.
    """

    @property
    def name(self) -> str: ...

    @property
    def policy(self) -> Policy: ...

    @property
    def timeout_s(self) -> float: ...

    async def send(self, signals: Sequence[Signal]) -> None: ...

    async def aclose(self) -> None: ...
