"""Time, injected. Durations are measured on the monotonic clock; wall time is only ever shown or sent."""

import time
from typing import Protocol


class Clock(Protocol):
    """`monotonic` for every duration and deadline (seconds, never goes back); `wall` for what people read (epoch)."""

    def monotonic(self) -> float: ...

    def wall(self) -> float: ...


class SystemClock:
    """The machine's clocks."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary start."""
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since the epoch."""
        return time.time()
