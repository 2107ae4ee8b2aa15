"""What a judge may cost: calls, tokens and dollars, so that a flood of traces cannot empty a wallet."""

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from evaluators.clock import Clock

_MINUTE = 60.0
_DAY = 86_400.0
_MAX_SERVICES = 1_000
"""Services counted apart within a minute; those beyond share one count."""


class BudgetSettings(BaseModel):
    """Upper bounds for one process; None is no bound. Days are UTC days, and a restart begins to count anew.

    Tokens and dollars are known when a call has ended: those in flight then may go beyond the bound. What a time-out
    cost is never known: calls_per_day bounds that too.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    calls_per_minute: PositiveInt | None = None
    calls_per_day: PositiveInt | None = None
    tokens_per_day: PositiveInt | None = None
    usd_per_day: float | None = Field(None, gt=0, allow_inf_nan=False)
    calls_per_minute_and_service: PositiveInt | None = None


class Budget:
    """Counts calls in fixed windows. A clock that goes back does not open a window again."""

    def __init__(self, settings: BudgetSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._minute = self._day = -1
        self._calls_in_minute = self._calls_in_day = self._tokens_in_day = 0
        self._usd_in_day = 0.0
        self._by_service: dict[str, int] = {}

    def take(self, service: str) -> bool:
        """Take one call for `service`; False where a bound is reached, and then nothing is taken."""
        self._roll()
        own = service if service in self._by_service or len(self._by_service) < _MAX_SERVICES else ""
        used_by_service = self._by_service.get(own, 0)
        if self._spent(used_by_service):
            return False
        self._calls_in_minute += 1
        self._calls_in_day += 1
        self._by_service[own] = used_by_service + 1
        return True

    def spend(self, tokens: int, usd: float = 0.0) -> None:
        """Count what a call turned out to cost, on the day of its end."""
        self._roll()
        self._tokens_in_day += tokens
        self._usd_in_day += usd

    def _spent(self, used_by_service: int) -> bool:
        bounds = self._settings
        return (
            _reached(bounds.calls_per_minute, self._calls_in_minute)
            or _reached(bounds.calls_per_day, self._calls_in_day)
            or _reached(bounds.tokens_per_day, self._tokens_in_day)
            or _reached(bounds.usd_per_day, self._usd_in_day)
            or _reached(bounds.calls_per_minute_and_service, used_by_service)
        )

    def _roll(self) -> None:
        minute, day = int(self._clock.monotonic() // _MINUTE), int(self._clock.wall() // _DAY)
        if minute > self._minute:
            self._minute, self._calls_in_minute = minute, 0
            self._by_service.clear()
        if day > self._day:
            self._day, self._calls_in_day, self._tokens_in_day, self._usd_in_day = day, 0, 0, 0.0


def _reached(bound: float | None, used: float) -> bool:
    return bound is not None and used >= bound
