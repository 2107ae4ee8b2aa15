import pytest
from pydantic import TypeAdapter, ValidationError

from evaluators.duration import Duration, PositiveDuration, format_duration, parse_duration


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("30s", 30), ("5m", 300), ("1h30m", 5400), ("2d", 172_800), ("250ms", 0.25), ("1.5h", 5400), (10, 10), (0.5, 0.5)],
)
def test_durations_are_read_as_people_write_them(written: object, seconds: float) -> None:
    assert parse_duration(written) == seconds


@pytest.mark.parametrize("written", ["5 minutes", "", "m", "-5m", "5", "5m 30", None, True, [], "1h" * 100])
def test_anything_else_is_refused_with_the_way_to_write_it(written: object) -> None:
    with pytest.raises(ValueError, match="write 250ms, 30s, 5m"):
        parse_duration(written)


@pytest.mark.parametrize("number", [-1, float("nan"), float("inf")])
def test_a_settings_field_is_finite_and_not_negative(number: float) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Duration).validate_python(number)


def test_a_window_cannot_be_zero() -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(PositiveDuration).validate_python("0s")


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.25, "250ms"), (1, "1s"), (90, "1m30s"), (5400, "1h30m"), (90_061, "1d1h"), (1800, "30m")]
)
def test_durations_are_shown_in_their_two_largest_units(seconds: float, shown: str) -> None:
    assert format_duration(seconds) == shown
