import pytest
from hypothesis import given
from hypothesis import strategies as st

from alerts.windows import Tally, Window


def test_a_window_forgets_what_is_older_than_its_length() -> None:
    window = Window(60.0)
    window.add(0.0, 1.0, failed=False)
    window.add(30.0, 0.0, failed=True, cause="generation")
    assert (window.tally.n, window.tally.failures) == (2, 1)
    gone = window.expire(61.0)
    assert [tally.n for tally in gone] == [1]
    assert (window.tally.n, window.tally.failures, window.tally.main_cause) == (1, 1, "generation")
    window.expire(100.0)
    assert window.tally == Tally()


def test_a_value_is_taken_back_from_its_own_bucket() -> None:
    window = Window(60.0)
    place = window.add(0.0, 0.25, failed=True, cause="retrieval")
    window.add(10.0, 1.0, failed=False)
    window.retract(place, 0.25, failed=True, cause="retrieval")
    assert (window.tally.n, window.tally.failures, window.tally.main_cause) == (1, 0, "")
    window.expire(61.0)
    assert window.tally.n == 1


def test_taking_back_what_has_left_the_window_changes_nothing() -> None:
    window = Window(60.0)
    place = window.add(0.0, 0.5, failed=True)
    window.expire(1000.0)
    window.retract(place, 0.5, failed=True)
    assert window.tally == Tally()


def test_memory_does_not_grow_with_traffic() -> None:
    window = Window(3600.0)
    for second in range(20_000):
        window.add(float(second), 1.0, failed=False)
        window.expire(float(second))
    assert len(window._buckets) <= 61
    assert 3540 <= window.tally.n <= 3660


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0, 1), st.booleans()), max_size=60), st.floats(50, 200))
def test_the_running_sums_equal_those_of_the_values_still_inside(
    values: list[tuple[float, float, bool]], now: float
) -> None:
    window = Window(60.0)
    for at, value, failed in sorted(values, key=lambda item: item[0]):
        window.add(at, value, failed)
    window.expire(now)
    inside = [(value, failed) for at, value, failed in values if int(at) > int(now // 1) - 60]
    assert window.tally.n == len(inside)
    assert window.tally.failures == sum(failed for _, failed in inside)
    assert window.tally.total == pytest.approx(sum(value for value, _ in inside), abs=1e-9)
