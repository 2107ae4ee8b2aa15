from evaluators.breaker import Breaker, BreakerState


def opened() -> Breaker:
    breaker = Breaker(failures=3, cooldown_s=5, max_s=15)
    for _ in range(3):
        breaker.failed(now=100)
    return breaker


def test_it_opens_after_so_many_failures_in_a_row():
    breaker = Breaker(failures=3)
    breaker.failed(0)
    breaker.failed(0)
    breaker.succeeded()
    breaker.failed(0)
    breaker.failed(0)
    assert breaker.admits(0)
    breaker.failed(0)
    assert breaker.state is BreakerState.OPEN
    assert not breaker.admits(0)


def test_after_the_cooldown_it_lets_one_call_find_out():
    breaker = opened()
    assert not breaker.admits(104.9)
    assert breaker.admits(105)
    assert breaker.state is BreakerState.HALF_OPEN
    assert not breaker.admits(106)


def test_a_good_probe_closes_it_again():
    breaker = opened()
    breaker.admits(105)
    breaker.succeeded()
    assert breaker.state is BreakerState.CLOSED
    assert breaker.admits(105)


def test_each_failed_probe_doubles_the_cooldown_up_to_the_maximum():
    breaker, now, waits = opened(), 105.0, []
    for _ in range(3):
        assert breaker.admits(now)
        breaker.failed(now)
        waits.append(breaker.retry_at - now)
        now = breaker.retry_at
    assert waits == [10, 15, 15]


def test_a_probe_that_tells_nothing_lets_the_next_one_through():
    breaker = opened()
    assert breaker.admits(105)
    breaker.told_nothing()
    assert breaker.state is BreakerState.HALF_OPEN
    assert breaker.admits(105)


def test_failures_of_calls_that_left_before_it_opened_do_not_prolong_the_cooldown():
    breaker = opened()
    breaker.failed(104)
    assert breaker.retry_at == 105
