"""Honest numbers: every estimate carries its interval and how many samples it rests on. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rate or a mean in 0..1, its confidence interval, and the number of samples behind it (0: nothing is known)."""

    value: float
    low: float
    high: float
    n: int


@lru_cache(maxsize=64)
def z_score(confidence: float) -> float:
    """Half-width of a two-sided standard normal interval, 1.96 for 0.95."""
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is between 0 and 1, not {confidence!r}")
    return NormalDist().inv_cdf((1.0 + confidence) / 2.0)


def wilson(successes: int, n: int, confidence: float = 0.95) -> Estimate:
    """The Wilson score interval of a rate (Wilson 1927): 160 of 200 -> 0.80, 0.74 to 0.85.

    Unlike the textbook interval it stays in 0..1 and has a width at 0 and n successes.
    """
    if n == 0:
        return Estimate(0.0, 0.0, 1.0, 0)
    z = z_score(confidence)
    rate, z2 = successes / n, z * z
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return Estimate(rate, max(0.0, min(rate, centre - half)), min(1.0, max(rate, centre + half)), n)


def bounded_mean(n: int, total: float, squares: float, confidence: float = 0.95) -> Estimate:
    """Interval of the mean of scores in 0..1 from their count, sum and sum of squares.

    z^2/2 imagined scores at 0 and as many at 1 are added first, so that a handful of equal scores does not look
    certain. On scores of 0 and 1 this is the Agresti-Coull interval (1998); on others it uses their own variance.
    """
    if n == 0:
        return Estimate(0.0, 0.0, 1.0, 0)
    z = z_score(confidence)
    prior = z * z / 2
    count = n + 2 * prior
    centre = (total + prior) / count
    variance = max(0.0, (squares + prior) / count - centre * centre)
    half = z * math.sqrt(variance / count)
    mean = min(1.0, max(0.0, total / n))
    return Estimate(mean, max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half)), n)


def difference(now: Estimate, before: Estimate) -> Estimate:
    """`now` minus `before`, with the interval of Newcombe (1998, method 10) made from the two intervals.

    `n` is the smaller of the two. With nothing known on a side the interval is -1 to 1.
    """
    change = now.value - before.value
    if not (now.n and before.n):
        return Estimate(change, -1.0, 1.0, 0)
    down = math.hypot(now.value - now.low, before.high - before.value)
    up = math.hypot(now.high - now.value, before.value - before.low)
    return Estimate(change, max(-1.0, change - down), min(1.0, change + up), min(now.n, before.n))


def tail_probability(failures: int, n: int, rate: float) -> float:
    """How likely `failures` or more of `n` are where each fails with probability `rate`: the exact binomial tail."""
    if failures <= 0:
        return 1.0
    if not 0.0 < rate < 1.0:
        return float(rate >= 1.0)
    log_term = (
        math.lgamma(n + 1)
        - math.lgamma(failures + 1)
        - math.lgamma(n - failures + 1)
        + failures * math.log(rate)
        + (n - failures) * math.log1p(-rate)
    )
    term = total = math.exp(log_term)
    for k in range(failures, n):
        term *= (n - k) / (k + 1) * rate / (1.0 - rate)
        total += term
        if k > n * rate and term < total * 1e-12:
            break
    return min(1.0, total)


def p_value(estimate: Estimate, limit: float, confidence: float, *, higher_is_worse: bool) -> float:
    """One-sided, read off the interval: (1 - confidence) / 2 where its near end touches `limit`."""
    past = estimate.value - limit if higher_is_worse else limit - estimate.value
    width = estimate.value - estimate.low if higher_is_worse else estimate.high - estimate.value
    if width <= 0.0:
        return 0.0 if past > 0.0 else 1.0
    return NormalDist().cdf(-z_score(confidence) * past / width)


def benjamini_hochberg(p_values: Sequence[float], level: float) -> list[bool]:
    """Which of many tests are discoveries, so that at most a share of `level` of them is expected to be false.

    Benjamini and Hochberg (1995): the k smallest, for the largest k whose k-th smallest is at most k / m * level.
    """
    count = len(p_values)
    order = sorted(range(count), key=p_values.__getitem__)
    passed = max((k for k, i in enumerate(order, 1) if p_values[i] <= k / count * level), default=0)
    found = set(order[:passed])
    return [i in found for i in range(count)]
