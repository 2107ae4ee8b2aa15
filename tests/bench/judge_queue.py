"""How long verdicts wait at a judge, by simulation: `python -m tests.bench.judge_queue`.

A lane as it is configured by default: calls come at random, so many run at once, each takes a lognormal time; a full
queue sheds its oldest, and who waits past the deadline is shed too. The load is the share of what the lane can do.
"""

import argparse
import heapq
import math
import random
from collections import deque
from dataclasses import dataclass

from evaluators.lane_settings import LaneSettings

LOADS = (0.5, 0.8, 0.9, 0.95, 1.0, 1.1)
SPREAD = 0.6
"""Of the logarithm of a call's time: the slowest percent takes four times the median."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Seconds from submission to verdict, and the share of calls that got none."""

    median_s: float
    p99_s: float
    shed: float


def simulate(rate: float, *, mean_s: float, lane: LaneSettings, calls: int, rng: random.Random) -> Outcome:
    """Run `calls` arrivals at `rate` a second through a lane whose calls take `mean_s` on average."""
    free_at = [0.0] * lane.concurrency
    mu = math.log(mean_s) - SPREAD**2 / 2
    waiting: deque[float] = deque()
    latencies: list[float] = []
    shed, now = 0, 0.0
    for _ in range(calls):
        now += rng.expovariate(rate)
        shed += _start_due(waiting, free_at, now, mu, lane, rng, latencies)
        if len(waiting) >= lane.queue_size:
            waiting.popleft()
            shed += 1
        waiting.append(now)
    shed += _start_due(waiting, free_at, math.inf, mu, lane, rng, latencies)
    latencies.sort()
    return Outcome(_quantile(latencies, 0.5), _quantile(latencies, 0.99), shed / calls)


def _start_due(
    waiting: deque[float],
    free_at: list[float],
    now: float,
    mu: float,
    lane: LaneSettings,
    rng: random.Random,
    latencies: list[float],
) -> int:
    """Start what found a free slot before `now`; how many were past their deadline by then."""
    shed = 0
    while waiting and free_at[0] <= now:
        came = waiting.popleft()
        starts = max(came, free_at[0])
        if starts > came + lane.deadline_s:
            shed += 1
            continue
        ends = starts + rng.lognormvariate(mu, SPREAD)
        heapq.heapreplace(free_at, ends)
        latencies.append(ends - came)
    return shed


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else math.nan


def main() -> None:
    """Print a line per load."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mean", type=float, default=2.0, help="seconds of a call")
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--calls", type=int, default=100_000)
    options = parser.parse_args()
    lane = LaneSettings(concurrency=options.concurrency)
    most = options.concurrency / options.mean
    print(f"{options.concurrency} calls at once of {options.mean:g} s: at most {most:.0f} verdicts a second")
    print(f"{'load':>6} {'calls/s':>8} {'median s':>9} {'p99 s':>7} {'shed':>7}")
    for load in LOADS:
        rng = random.Random(1)
        one = simulate(load * most, mean_s=options.mean, lane=lane, calls=options.calls, rng=rng)
        print(f"{load:6.0%} {load * most:8.1f} {one.median_s:9.2f} {one.p99_s:7.2f} {one.shed:7.2%}")


if __name__ == "__main__":
    main()
