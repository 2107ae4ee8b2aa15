"""Time as it was when what is read now was written."""

from evaluators.clock import Clock


class EventClock:
    """The clock `behind_s` seconds ago; while nothing is read again that is 0."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.behind_s = 0.0

    def monotonic(self) -> float:
        """Seconds; goes back only where a new reading begins."""
        return self._clock.monotonic() - self.behind_s

    def wall(self) -> float:
        """Seconds since the epoch."""
        return self._clock.wall() - self.behind_s
