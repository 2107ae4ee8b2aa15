from evaluators.limiter import Limiter


def test_a_refusal_halves_the_limit_and_pauses():
    limiter = Limiter(64)
    limiter.refused(now=10, pause_s=2)
    assert limiter.limit == 32
    assert limiter.resumes_at == 12


def test_refusals_of_one_burst_count_once():
    limiter = Limiter(64)
    for _ in range(30):
        limiter.refused(now=10, pause_s=2)
    assert limiter.limit == 32


def test_it_never_falls_below_one():
    limiter = Limiter(4)
    for second in range(20):
        limiter.refused(now=second, pause_s=0.5)
    assert limiter.limit == 1


def test_about_as_many_successes_as_are_in_flight_raise_it_by_one_up_to_the_maximum():
    limiter = Limiter(10)
    limiter.refused(now=0, pause_s=0)
    assert limiter.limit == 5
    for _ in range(6):
        limiter.succeeded()
    assert limiter.limit == 6
    for _ in range(1_000):
        limiter.succeeded()
    assert limiter.limit == 10
