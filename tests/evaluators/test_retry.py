import pytest

from evaluators.retry import Backoff


def always_most() -> float:
    return 1.0


def test_pauses_double_up_to_the_maximum():
    backoff = Backoff(base_s=0.5, max_s=3.0)
    assert [backoff.delay(attempt, None, always_most) for attempt in (1, 2, 3, 4, 900)] == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_jitter_takes_off_up_to_half():
    assert Backoff(base_s=1.0).delay(1, None, lambda: 0.0) == 0.5


@pytest.mark.parametrize(("asked", "waits"), [(7.0, 7.0), (86_400.0, 60.0), (-5.0, 0.5), (0.0, 0.5), (None, 0.5)])
def test_what_the_provider_asks_for_is_honoured_within_reason(asked, waits):
    assert Backoff(base_s=0.5).delay(1, asked, always_most) == waits
