"""The memory that most kinds of rules need: values over a window."""

from typing import Protocol

from alerts.rules.base import Observation, Reading
from alerts.windows import Tally, Window


class WindowedWatch:
    """Counts values over a window; a kind adds when a value `fails` and how the window is to be read."""

    def __init__(self, window_s: float) -> None:
        self._window = Window(window_s)

    @property
    def tally(self) -> Tally:
        """What the window holds."""
        return self._window.tally

    def fails(self, value: float) -> bool:
        """Whether a single value is on the bad side."""
        raise NotImplementedError

    def add(self, at: float, observation: Observation) -> int:
        """Count a value; returns its place."""
        return self._window.add(at, observation.value, self.fails(observation.value), observation.cause)

    def retract(self, place: int, observation: Observation) -> None:
        """Take a value back, if it is still in the window."""
        self._window.retract(place, observation.value, self.fails(observation.value), observation.cause)


class ShareRule(Protocol):
    """A rule about the share of ones among ones and zeros over one window."""

    @property
    def window(self) -> float: ...

    def decide(self, tally: Tally) -> Reading: ...


class ShareWatch(WindowedWatch):
    """Ones and zeros over the window of a rule; a zero is what the rule cites."""

    def __init__(self, rule: ShareRule) -> None:
        super().__init__(rule.window)
        self._rule = rule

    def fails(self, value: float) -> bool:
        """Whether it was a zero."""
        return value < 1.0

    def read(self, now: float, *, active: bool) -> Reading:
        """The condition now."""
        self._window.expire(now)
        return self._rule.decide(self._window.tally)
