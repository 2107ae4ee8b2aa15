from evaluators.budget import Budget, BudgetSettings
from tests.fakes import FakeClock


def test_calls_per_minute_are_bounded_and_come_back_with_the_next_minute():
    clock = FakeClock()
    budget = Budget(BudgetSettings(calls_per_minute=2), clock)
    assert [budget.take("shop") for _ in range(3)] == [True, True, False]
    clock.advance(60)
    assert budget.take("shop")


def test_calls_per_day_are_bounded():
    clock = FakeClock()
    budget = Budget(BudgetSettings(calls_per_day=3), clock)
    taken = []
    for _ in range(5):
        taken.append(budget.take("shop"))
        clock.advance(600)
    assert taken == [True, True, True, False, False]
    clock.advance(86_400)
    assert budget.take("shop")


def test_tokens_of_the_day_are_bounded_after_they_were_spent():
    budget = Budget(BudgetSettings(tokens_per_day=1_000), FakeClock())
    assert budget.take("shop")
    budget.spend(1_200)
    assert not budget.take("shop")


def test_dollars_of_the_day_are_bounded_after_they_were_spent_and_come_back_with_the_next_day():
    clock = FakeClock()
    budget = Budget(BudgetSettings(usd_per_day=0.5), clock)
    budget.spend(1_000, 0.3)
    assert budget.take("shop")
    budget.spend(1_000, 0.3)
    assert not budget.take("shop")
    clock.advance(86_400)
    assert budget.take("shop")


def test_one_service_cannot_use_up_the_share_of_another():
    budget = Budget(BudgetSettings(calls_per_minute_and_service=1), FakeClock())
    assert budget.take("noisy")
    assert not budget.take("noisy")
    assert budget.take("quiet")


def test_made_up_service_names_share_one_count_beyond_the_first_thousand():
    budget = Budget(BudgetSettings(calls_per_minute_and_service=1), FakeClock())
    assert sum(budget.take(f"service-{i}") for i in range(5_000)) == 1_001


def test_a_wall_clock_that_goes_back_does_not_open_the_day_again():
    clock = FakeClock()
    budget = Budget(BudgetSettings(calls_per_day=1), clock)
    assert budget.take("shop")
    clock._epoch -= 86_400
    assert not budget.take("shop")


def test_without_bounds_everything_is_taken():
    budget = Budget(BudgetSettings(), FakeClock())
    assert all(budget.take("shop") for _ in range(10_000))
