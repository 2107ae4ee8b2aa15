"""The memory that most kinds of rules need: values over a window."""

from alerts.rules.base import Observation
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
