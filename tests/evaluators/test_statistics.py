import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.statistics import (
    Estimate,
    benjamini_hochberg,
    bounded_mean,
    difference,
    p_value,
    tail_probability,
    wilson,
    z_score,
)


def test_wilson_of_160_of_200_is_074_to_085() -> None:
    estimate = wilson(160, 200)
    assert estimate.value == 0.8
    assert estimate.low == pytest.approx(0.74, abs=0.005)
    assert estimate.high == pytest.approx(0.85, abs=0.005)


def test_nothing_seen_is_nothing_known() -> None:
    assert wilson(0, 0) == bounded_mean(0, 0.0, 0.0) == Estimate(0.0, 0.0, 1.0, 0)


def test_no_failure_among_few_is_no_certainty() -> None:
    assert wilson(0, 10).high > 0.25
    assert wilson(10, 10).low < 0.75


@given(st.integers(1, 500), st.data())
def test_every_rate_lies_in_its_interval_and_the_interval_in_0_to_1(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    estimate = wilson(successes, n)
    assert 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0
    assert estimate.low < estimate.high


@given(st.lists(st.floats(0, 1), min_size=1, max_size=200))
def test_every_mean_lies_in_its_interval_and_the_interval_in_0_to_1(scores: list[float]) -> None:
    estimate = bounded_mean(len(scores), math.fsum(scores), math.fsum(x * x for x in scores))
    assert 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0


def test_a_mean_of_equal_scores_has_a_width_that_shrinks_with_n() -> None:
    few, many = bounded_mean(10, 10, 10), bounded_mean(1000, 1000, 1000)
    assert few.low < 0.8
    assert 0.99 < many.low < 1.0


def test_intervals_hold_what_they_promise() -> None:
    """At least 93% of the 95% intervals hold the true rate: Wilson's is right on average, not at each single rate."""
    rng, rate, n = random.Random(1), 0.1, 80
    held = 0
    for _ in range(2000):
        estimate = wilson(sum(rng.random() < rate for _ in range(n)), n)
        held += estimate.low <= rate <= estimate.high
    assert held / 2000 > 0.93


def test_a_difference_of_rates_follows_newcombe() -> None:
    """The worked example of Newcombe (1998), table II, method 10: 56/70 against 48/80 gives 0.0524 to 0.3339."""
    change = difference(wilson(56, 70), wilson(48, 80))
    assert change.value == pytest.approx(0.2)
    assert change.low == pytest.approx(0.0524, abs=5e-5)
    assert change.high == pytest.approx(0.3339, abs=5e-5)


def test_a_difference_to_nothing_says_nothing() -> None:
    assert difference(wilson(5, 10), wilson(0, 0)) == Estimate(0.5, -1.0, 1.0, 0)


def test_a_confidence_outside_0_to_1_is_refused() -> None:
    assert z_score(0.95) == pytest.approx(1.96, abs=0.001)
    with pytest.raises(ValueError, match="between 0 and 1"):
        z_score(1.0)


@pytest.mark.parametrize(("failures", "n", "rate"), [(0, 10, 0.2), (3, 10, 0.2), (10, 10, 0.2), (40, 400, 0.05)])
def test_the_tail_is_the_sum_of_the_binomial_probabilities(failures: int, n: int, rate: float) -> None:
    exact = sum(math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(failures, n + 1))
    assert tail_probability(failures, n, rate) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(("rate", "chance"), [(0.0, 0.0), (1.0, 1.0)])
def test_the_tail_of_a_certain_rate_is_certain(rate: float, chance: float) -> None:
    assert tail_probability(1, 10, rate) == chance


def test_a_p_value_agrees_with_its_interval() -> None:
    now = wilson(30, 100)
    assert p_value(now, now.low, 0.95, higher_is_worse=True) == pytest.approx(0.025)
    assert p_value(now, now.high, 0.95, higher_is_worse=False) == pytest.approx(0.025)
    assert p_value(now, 0.3, 0.95, higher_is_worse=True) == pytest.approx(0.5)
    assert p_value(Estimate(1.0, 1.0, 1.0, 9), 0.5, 0.95, higher_is_worse=True) == 0.0


def test_benjamini_and_hochberg_keep_the_largest_k_that_fits() -> None:
    """The example of their paper: of 15 tests at 5% the first four are discoveries."""
    paper = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528,
             0.759, 1.0]  # fmt: skip
    assert benjamini_hochberg(paper[::-1], 0.05) == [False] * 11 + [True] * 4
    assert benjamini_hochberg([0.04, 0.05], 0.05) == [True, True]
    assert benjamini_hochberg([], 0.05) == []
