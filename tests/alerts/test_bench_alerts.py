"""What the simulation promises, on few streams; `python -m tests.bench.alerts` prints all of it."""

import random
import statistics

from tests.bench.alerts import Stream, arrivals, delays, false_alarms, naive, raised_at, window


def test_at_200_traces_an_hour_2_against_5_percent_pages_less_than_once_a_month() -> None:
    assert false_alarms(window(30), 200, 0.02) < 1.0


def test_a_jump_to_15_percent_is_paged_within_20_minutes() -> None:
    assert statistics.median(delays(window(30), 200, 0.02, 0.15)) <= 20.0


def test_the_naive_mean_cries_wolf_every_hour_on_the_same_streams() -> None:
    assert false_alarms(naive(), 200, 0.02) > 30 * 24


def test_the_streams_have_the_rates_that_they_are_said_to_have() -> None:
    traces, failures = arrivals(random.Random(1), 200, 0.05, 20_000)
    assert abs(sum(traces) / 20_000 * 60 - 200) < 3
    assert abs(sum(failures) / sum(traces) - 0.05) < 0.003


def test_a_rule_sees_its_window_and_no_more() -> None:
    calm, bad = [4] * 60, [0] * 60
    stream = Stream.of(calm * 2, bad + [4] * 60)
    (minute,) = raised_at(window(30), stream)
    assert 60 < minute < 70
