"""Time that stands still while a judge is unavailable: what cannot be seen neither raises nor resolves an alert."""

from typing import Protocol


class Watchable(Protocol):
    """Time as a rule's memory sees it."""

    @property
    def held(self) -> bool: ...

    def at(self, now: float) -> float: ...


class Running:
    """Never stands still."""

    held = False

    def at(self, now: float) -> float:
        """The same time."""
        return now


class Holding:
    """Stands still while at least one reason to hold exists."""

    def __init__(self) -> None:
        self._reasons: set[str] = set()
        self._since = 0.0
        self._lost = 0.0

    @property
    def held(self) -> bool:
        """Whether it stands still."""
        return bool(self._reasons)

    def at(self, now: float) -> float:
        """`now` without the time that was held."""
        return (self._since if self._reasons else now) - self._lost

    def hold(self, reason: str, now: float) -> None:
        """Stand still; holding twice for one reason is holding once."""
        if not self._reasons:
            self._since = now
        self._reasons.add(reason)

    def release(self, reason: str, now: float) -> None:
        """Go on, once no reason is left."""
        if reason in self._reasons:
            self._reasons.remove(reason)
            self._lost += 0.0 if self._reasons else now - self._since


class JudgeTime:
    """The time of each judge, and the time of all of them, which stands still while any is unavailable."""

    def __init__(self) -> None:
        self._judges: dict[str, Holding] = {}
        self._all = Holding()

    def of(self, judge: str) -> Holding:
        """The time of a judge; "" is all of them."""
        return self._judges.setdefault(judge, Holding()) if judge else self._all

    def judge_state(self, judge: str, state: str, now: float) -> None:
        """Any state but closed holds: a half-open breaker lets single probes through, not a stream to judge by."""
        for holding in (self.of(judge), self._all):
            if state == "closed":
                holding.release(judge, now)
            else:
                holding.hold(judge, now)
