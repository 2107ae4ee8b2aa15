"""How often rules cry wolf, and how soon they see a jump: simulated months, the same streams for every rule.

Traffic is Poisson, each judged trace fails on its own; a minute is the step. Beside the rules stands what people write
first: the mean of the last five minutes (failures count 0, others 1) below 1 - limit. The rules decide as they do in
the monitor, `for` included. A false alarm is an alert raised while the true rate is below the limit. The delay is from
a jump to the alert; "missed" are jumps that were not raised within four hours, "raised before" stands where nearly
every jump met a false alarm that was still up.
"""

import math
import random
import statistics
import time
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from alerts.lifecycle import Alert, Move, Phase, advance
from alerts.rules import BurnRateRule, Condition, WindowRule
from alerts.windows import Tally

LIMIT = 0.05
VOLUMES = (20, 200, 2000)
HEALTHY = (0.01, 0.02, 0.03)
JUMPS = (0.10, 0.15, 0.30)
MONTH_MIN = 30 * 24 * 60
MONTHS = {20: 24, 200: 24, 2000: 6}
TRIALS = 200
QUIET_MIN = 360
PATIENCE_MIN = 240

Counts = tuple[int, int]
"""Traces and failures."""


@dataclass(frozen=True)
class Stream:
    """Traces and failures from the beginning to each minute; the first entry is before the first minute."""

    traces: Sequence[int]
    failures: Sequence[int]

    @classmethod
    def of(cls, traces: list[int], failures: list[int]) -> "Stream":
        """From the counts of each minute."""
        return cls(list(accumulate(traces, initial=0)), list(accumulate(failures, initial=0)))

    def window(self, minute: int, length: int) -> Counts:
        """What the last `length` minutes held."""
        start = max(0, minute - length)
        return self.traces[minute] - self.traces[start], self.failures[minute] - self.failures[start]


@dataclass(frozen=True)
class Contender:
    """A rule: its windows in minutes, what it makes of their counts, and how long a breach must last.

    At or below `limit` in its first window it never breaches: there the decision need not be asked for.
    """

    name: str
    limit: float
    windows: tuple[int, ...]
    decide: Callable[[tuple[Counts, ...]], Condition]
    for_min: float = 0.0
    clear_min: float = 5.0


def _tally(counts: Counts) -> Tally:
    return Tally(n=counts[0], failures=counts[1])


def naive() -> Contender:
    """Mean of five minutes below the limit, whatever n is."""

    def decide(counts: tuple[Counts, ...]) -> Condition:
        n, failures = counts[0]
        return Condition.BREACH if n and failures / n > LIMIT else Condition.CLEAR

    return Contender("naive mean, 5m", LIMIT, (5,), decide, clear_min=0.0)


def window(minutes: int) -> Contender:
    """The whole 95% interval of the failure rate above the limit, for a minute."""
    rule = WindowRule(name="r", metric="faithfulness", threshold=LIMIT, window=minutes * 60.0, for_=60.0)

    @cache
    def decide(counts: tuple[Counts, ...]) -> Condition:
        return rule.decide(_tally(counts[0]), Tally()).condition

    return Contender(f"window, {minutes}m, 95% interval", LIMIT, (minutes,), decide, rule.for_ / 60)


def burn(factor: float, long: int, short: int) -> Contender:
    """A burn rate of the objective 1 - limit."""
    rule = BurnRateRule(name="r", objective=1 - LIMIT, factor=factor, long=long * 60.0, short=short * 60.0)

    @cache
    def decide(counts: tuple[Counts, ...]) -> Condition:
        return rule.decide(_tally(counts[0]), _tally(counts[1])).condition

    return Contender(f"slo, {factor:g}x over {long}m and {short}m", rule.limit, (long, short), decide)


def contenders() -> list[Contender]:
    """All that are compared."""
    return [naive(), window(30), window(60), window(360), burn(2.0, 60, 5), burn(6.0, 360, 30)]


def arrivals(rng: random.Random, per_hour: float, rate: float, minutes: int) -> tuple[list[int], list[int]]:
    """Traces and failures of each minute."""
    failing, passing = _table(per_hour / 60 * rate), _table(per_hour / 60 * (1 - rate))
    failures = [bisect(failing, rng.random()) for _ in range(minutes)]
    return [bisect(passing, rng.random()) + failed for failed in failures], failures


def raised_at(contender: Contender, stream: Stream) -> list[int]:
    """The minutes, from 1, in which the rule raised its alert."""
    length, limit = contender.windows[0], contender.limit
    alert, raised = Alert(), []
    for minute in range(1, len(stream.traces)):
        n, failures = stream.window(minute, length)
        if failures <= limit * n and alert.phase is Phase.QUIET:
            continue
        condition = contender.decide(tuple(stream.window(minute, one) for one in contender.windows))
        alert, move = advance(alert, condition, float(minute), for_s=contender.for_min, clear_s=contender.clear_min)
        if move is Move.RAISED:
            raised.append(minute)
    return raised


@cache
def healthy(per_hour: float, rate: float) -> Stream:
    """Months in which nothing is wrong."""
    return Stream.of(*arrivals(random.Random(1), per_hour, rate, MONTHS[round(per_hour)] * MONTH_MIN))


def false_alarms(contender: Contender, per_hour: float, rate: float) -> float:
    """Alerts per month of 30 days while nothing is wrong."""
    return len(raised_at(contender, healthy(per_hour, rate))) / MONTHS[round(per_hour)]


@cache
def jumps(per_hour: float, before: float, after: float) -> list[Stream]:
    """Six quiet hours, then a jump."""
    found = []
    for seed in range(TRIALS):
        rng = random.Random(seed)
        quiet, worse = arrivals(rng, per_hour, before, QUIET_MIN), arrivals(rng, per_hour, after, PATIENCE_MIN)
        found.append(Stream.of(quiet[0] + worse[0], quiet[1] + worse[1]))
    return found


def delays(contender: Contender, per_hour: float, before: float, after: float) -> list[float]:
    """Minutes from each jump to the alert, infinite where it was missed; jumps after a false alarm do not count."""
    found = []
    for stream in jumps(per_hour, before, after):
        raised = raised_at(contender, stream)
        if not raised or raised[0] > QUIET_MIN:
            found.append(raised[0] - QUIET_MIN if raised else math.inf)
    return found


@cache
def _table(mean: float) -> list[float]:
    """Cumulative probabilities of a Poisson variable."""
    term = total = math.exp(-mean)
    table = [total]
    while total < 1.0 - 1e-12 and len(table) < 1000:
        term *= mean / len(table)
        total += term
        table.append(total)
    return table


def _show(minutes: list[float]) -> str:
    if len(minutes) < TRIALS / 10:
        return "raised before"
    missed = sum(math.isinf(one) for one in minutes) / len(minutes)
    median = statistics.median(minutes)
    ninety = sorted(minutes)[math.ceil(0.9 * len(minutes)) - 1]
    told = ["never" if math.isinf(one) else f"{one:.0f}m" for one in (median, ninety)]
    return f"{told[0]} / {told[1]}" + (f", missed {missed:.0%}" if missed else "")


def main() -> None:
    """Print both tables."""
    started = time.process_time()
    print(f"limit {LIMIT:.0%}; false alarms per month of 30 days, by judged traces an hour and true failure rate\n")
    columns = [(volume, rate) for volume in VOLUMES for rate in HEALTHY]
    print(f"{'rule':32}" + "".join(f"{f'{volume}/h {rate:.0%}':>11}" for volume, rate in columns))
    for one in contenders():
        cells = (f"{false_alarms(one, volume, rate):11.2f}" for volume, rate in columns)
        print(f"{one.name:32}" + "".join(cells), flush=True)
    print(f"\nminutes from a jump to the alert, median / 90th percentile of {TRIALS} jumps from 2%\n")
    rises = [(volume, rise) for volume in VOLUMES[:2] for rise in JUMPS]
    print(f"{'rule':32}" + "".join(f"{f'{volume}/h to {rise:.0%}':>27}" for volume, rise in rises))
    for one in contenders():
        cells = (f"{_show(delays(one, volume, 0.02, rise)):>27}" for volume, rise in rises)
        print(f"{one.name:32}" + "".join(cells), flush=True)
    print(f"\n{time.process_time() - started:.0f} s of CPU time")


if __name__ == "__main__":
    main()
