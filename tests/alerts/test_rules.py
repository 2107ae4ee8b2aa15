"""One table of cases per kind of rule."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from alerts.rules import (
    Baseline,
    BurnRateRule,
    Case,
    Condition,
    CoverageRule,
    EmptyRetrievalRule,
    JudgeUnavailableRule,
    NoDataRule,
    Observation,
    Reading,
    Rule,
    TraceRule,
    WindowRule,
)
from alerts.windows import Tally

B, C, U, F = Condition.BREACH, Condition.CLEAR, Condition.UNSURE, Condition.TOO_FEW
RULE: TypeAdapter[Any] = TypeAdapter(Rule)


def tally(n: int, failures: int, total: float | None = None) -> Tally:
    """Scores are 0 and 1 unless `total` says otherwise; then all are equal."""
    ones = n - failures if total is None else total
    squares = ones if total is None else n * (total / n) ** 2
    return Tally(n, failures, ones, squares)


@pytest.mark.parametrize(
    ("failures", "n", "condition"),
    [
        (0, 0, F),
        (3, 3, F),
        (29, 29, F),
        (0, 29, C),
        (30, 30, B),
        (25, 100, U),
        (30, 100, B),
        (21, 100, U),
        (29, 100, B),
        (19, 100, C),
        (0, 100, C),
    ],
)
def test_a_failure_rate_breaches_only_with_its_whole_interval_and_enough_traces(
    failures: int, n: int, condition: Condition
) -> None:
    rule = WindowRule(name="r", metric="faithfulness", threshold=0.2, min_n=30)
    assert rule.decide(tally(n, failures), Tally()).condition is condition


@pytest.mark.parametrize(
    ("metric", "mean", "condition"),
    [
        ("faithfulness", 0.70, B),
        ("faithfulness", 0.99, C),
        ("hallucination", 0.99, B),
        ("hallucination", 0.70, C),
    ],
)
def test_which_side_is_bad_comes_from_the_metric(metric: str, mean: float, condition: Condition) -> None:
    rule = WindowRule(name="r", metric=metric, statistic="mean", threshold=0.85)
    assert rule.decide(tally(400, 0, total=400 * mean), Tally()).condition is condition


def test_a_mean_near_its_floor_is_unsure() -> None:
    rule = WindowRule(name="r", metric="faithfulness", statistic="mean", threshold=0.85)
    assert rule.decide(tally(40, 8), Tally()).condition is U


@pytest.mark.parametrize(
    ("now", "usual", "condition"),
    [
        ((60, 30), (1000, 100), B),
        ((60, 12), (1000, 100), C),
        ((60, 20), (1000, 100), U),
        ((60, 30), (99, 10), F),
        ((10, 10), (1000, 100), F),
        ((1000, 100), (1000, 600), C),
    ],
    ids=["much worse", "a little worse", "perhaps worse", "no baseline yet", "too few", "better"],
)
def test_a_baseline_is_breached_by_a_change_for_the_worse(
    now: tuple[int, int], usual: tuple[int, int], condition: Condition
) -> None:
    rule = WindowRule(name="r", metric="faithfulness", baseline=Baseline(min_change=0.2, min_n=100))
    assert rule.decide(tally(*now), tally(*usual)).condition is condition


def test_a_baseline_of_a_mean_knows_the_direction_too() -> None:
    rule = WindowRule(name="r", metric="faithfulness", statistic="mean", baseline=Baseline(min_change=0.2))
    assert rule.decide(tally(200, 0, total=100), tally(500, 0, total=450)).condition is B
    assert rule.decide(tally(200, 0, total=190), tally(500, 0, total=250)).condition is C


def test_either_limit_raises_and_both_must_be_clear_to_resolve() -> None:
    rule = WindowRule(name="r", metric="faithfulness", threshold=0.4, baseline=Baseline(min_change=0.2))
    assert rule.decide(tally(200, 70), tally(1000, 20)).condition is B
    assert rule.decide(tally(200, 110), tally(1000, 500)).condition is B
    assert rule.decide(tally(200, 20), tally(1000, 20)).condition is C


def test_clear_is_a_level_of_its_own() -> None:
    rule = WindowRule(name="r", metric="faithfulness", threshold=0.4, clear=0.2)
    assert rule.decide(tally(200, 60), Tally()).condition is U
    assert rule.decide(tally(200, 30), Tally()).condition is C


def test_what_leaves_the_window_becomes_usual_but_not_during_an_incident() -> None:
    rule = WindowRule(name="r", metric="faithfulness", baseline=Baseline(min_n=1), window=600.0)
    calm, incident = rule.watch(), rule.watch()
    for watch in (calm, incident):
        watch.add(0.0, Observation("faithfulness", 1.0))
        watch.add(700.0, Observation("faithfulness", 1.0))
    assert calm.read(700.0, active=False).baseline is not None
    assert incident.read(700.0, active=True).baseline is None


@pytest.mark.parametrize(
    ("rule", "value", "fails"),
    [
        (TraceRule(name="r", contradicted=True), 1.0, True),
        (TraceRule(name="r", contradicted=True), 0.0, False),
        (TraceRule(name="r", metric="faithfulness", threshold=0.5), 0.4, True),
        (TraceRule(name="r", metric="faithfulness", threshold=0.5), 0.5, False),
        (TraceRule(name="r", metric="hallucination", threshold=0.5), 0.6, True),
        (TraceRule(name="r", metric="hallucination", threshold=0.5), 0.4, False),
        (TraceRule(name="r", metric="faithfulness"), 0.84, True),
    ],
)
def test_a_trace_fails_on_the_bad_side_of_its_metric(rule: TraceRule, value: float, fails: bool) -> None:
    watch = rule.watch()
    watch.add(0.0, Observation(rule.observes, value))
    assert watch.fails(value) is fails
    assert watch.read(0.0, active=False).condition is (B if fails else C)


def test_one_failure_breaches_and_a_quiet_cooldown_clears() -> None:
    watch = TraceRule(name="r", contradicted=True, cooldown=600.0).watch()
    watch.add(0.0, Observation("contradicted", 1.0))
    assert [watch.read(at, active=True).condition for at in (0.0, 500.0, 620.0)] == [B, B, C]


def test_a_trace_rule_may_ask_for_more_than_one() -> None:
    watch = TraceRule(name="r", contradicted=True, min_n=2).watch()
    watch.add(0.0, Observation("contradicted", 1.0))
    assert watch.read(0.0, active=False).condition is U
    watch.add(1.0, Observation("contradicted", 1.0))
    assert watch.read(1.0, active=False).condition is B


@pytest.mark.parametrize(
    ("scored", "eligible", "condition"),
    [(0, 0, F), (0, 20, F), (2, 40, B), (18, 40, U), (22, 40, C), (40, 40, C), (9, 9, C)],
)
def test_coverage_breaches_when_most_eligible_traces_get_no_score(
    scored: int, eligible: int, condition: Condition
) -> None:
    rule = CoverageRule(name="r", threshold=0.5, min_n=30)
    assert rule.decide(Tally(eligible, eligible - scored)).condition is condition


@pytest.mark.parametrize(
    ("long", "short", "condition"),
    [
        ((200, 180), (20, 18), B),
        ((200, 180), (20, 10), C),
        ((200, 150), (20, 18), U),
        ((20, 20), (5, 5), F),
        ((200, 20), (20, 18), C),
        ((200, 180), (0, 0), U),
        ((0, 0), (0, 0), F),
        ((200, 0), (20, 0), C),
    ],
    ids=[
        "burns in both windows",
        "over by now",
        "perhaps too fast",
        "too few",
        "just begun",
        "no traffic since",
        "nothing seen",
        "all good",
    ],
)
def test_a_burn_rate_breaches_while_both_windows_burn(
    long: tuple[int, int], short: tuple[int, int], condition: Condition
) -> None:
    """14.4 times a budget of 5% is 72%."""
    rule = BurnRateRule(name="r", objective=0.95, factor=14.4)
    assert rule.decide(tally(*long), tally(*short)).condition is condition


def test_a_burn_rate_forgets_each_window_in_its_own_time_and_takes_back_from_both() -> None:
    rule = BurnRateRule(name="r", long=3600.0, short=300.0, factor=6.0, min_n=10)
    watch = rule.watch()
    places = [watch.add(second * 10.0, Observation("faithfulness", 0.0)) for second in range(12)]
    assert watch.read(120.0, active=False).condition is B
    assert watch.read(600.0, active=True).condition is U
    for place in places:
        watch.retract(place, Observation("faithfulness", 0.0))
    assert watch.tally.n == 0


def test_a_burn_rate_says_how_fast_and_how_long_the_budget_lasts() -> None:
    rule = BurnRateRule(name="r", objective=0.95, factor=14.4)
    case = Case("shop", "lexical", rule.decide(tally(200, 180), tally(20, 18)))
    assert rule.sentence(case) == (
        "90% of 200 answers in 1h score below 0.85, 18.0 times the budget of 0.05 (95% interval 85% to 93%, limit 72%)"
        "; at this rate the budget of 30d lasts 1d16h"
    )


@pytest.mark.parametrize(
    ("empty", "n", "condition"), [(0, 0, F), (10, 10, F), (0, 19, C), (60, 100, B), (35, 100, U), (10, 100, C)]
)
def test_empty_retrievals_breach_with_their_whole_interval(empty: int, n: int, condition: Condition) -> None:
    rule = EmptyRetrievalRule(name="r", threshold=0.3, min_n=20)
    assert rule.decide(tally(n, empty)).condition is condition


def silence(rule: NoDataRule, arrivals: list[float], now: float) -> Reading:
    watch = rule.watch()
    for at in arrivals:
        watch.add(at, Observation("traffic", 1.0))
    return watch.read(now, active=False)


HOURLY = [hour * 3600.0 for hour in range(30)]


@pytest.mark.parametrize(
    ("arrivals", "silent_h", "condition"),
    [
        (HOURLY, 1.5, C),
        (HOURLY, 2.5, B),
        (HOURLY[:5], 40, F),
        ([0.0] * 100, 40, F),
        ([*HOURLY, HOURLY[-1] + 10 * 3600], 12, C),
        ([*HOURLY, HOURLY[-1] + 10 * 3600], 21, B),
    ],
    ids=[
        "no longer than usual",
        "longer than twice the usual gap",
        "too few traces",
        "not known for a day",
        "a longer gap was seen before",
        "longer than that too",
    ],
)
def test_a_service_is_missed_when_its_silence_is_unusual(
    arrivals: list[float], silent_h: float, condition: Condition
) -> None:
    assert silence(NoDataRule(name="r"), arrivals, arrivals[-1] + silent_h * 3600).condition is condition


def test_a_plain_timeout_needs_no_history() -> None:
    rule = NoDataRule(name="r", window=600.0, factor=0.0, min_history=0.0, min_n=1)
    assert silence(rule, [0.0], 599.0).condition is C
    assert silence(rule, [0.0], 601.0).condition is B


def test_a_gap_is_forgotten_after_eight_days() -> None:
    old_gap = [0.0, *(200_000 + hour * 3600.0 for hour in range(24 * 20))]
    assert silence(NoDataRule(name="r"), old_gap, old_gap[-1] + 3 * 3600).condition is B


@pytest.mark.parametrize(("states", "condition"), [([1.0], B), ([1.0, 0.5], B), ([1.0, 0.5, 0.0], C), ([], C)])
def test_a_judge_is_unavailable_until_its_breaker_closes(states: list[float], condition: Condition) -> None:
    watch = JudgeUnavailableRule(name="r").watch()
    for at, state in enumerate(states):
        watch.add(float(at), Observation("breaker", state))
    assert watch.read(10.0, active=True).condition is condition


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "trace", "name": "r"}, "either `contradicted: true` or a `metric`"),
        ({"kind": "trace", "name": "r", "contradicted": True, "metric": "faithfulness"}, "either"),
        ({"kind": "trace", "name": "r", "metric": "faithfullness"}, "is not a metric: use one of faithfulness"),
        ({"kind": "window", "name": "r", "metric": "faithfulness"}, "a `threshold`, a `baseline`, or both"),
        ({"kind": "window", "name": "r", "metric": "faithfulness", "threshold": 1.2}, "less than or equal to 1"),
        ({"kind": "window", "name": "r", "metric": "faithfulness", "threshold": "0.4"}, "valid number"),
        ({"kind": "window", "name": "r", "metric": "faithfulness", "threshold": 0.4, "clear": 0.5}, "bad side"),
        ({"kind": "window", "name": "r", "metric": "faithfulness", "threshold": 0.4, "windw": "1h"}, "Extra inputs"),
        (
            {"kind": "window", "name": "r", "metric": "faithfulness", "threshold": 0.4, "window": "1 hour"},
            "not a duration",
        ),
        ({"kind": "slo", "name": "r", "objective": 0.9}, "14.4 times the budget of 10.0% can never be exceeded"),
        ({"kind": "burn_rate", "name": "r", "short": "1h"}, "`short` must be shorter than `long`"),
        (
            {
                "kind": "slo",
                "name": "r",
                "burns": [{"factor": f, "long": "1h", "short": "5m", "severity": "page"} for f in (2, 3)],
            },
            "each needs a `severity` of its own",
        ),
        ({"kind": "no_data", "name": "Not A Name"}, "should match pattern"),
        ({"kind": "no_data", "name": "r", "services": []}, "at least 1 item"),
        ({"kind": "nodata", "name": "r"}, "does not match any of the expected tags"),
        ({"kind": "no_data", "name": "r", "severity": "critical"}, "'page', 'ticket' or 'info'"),
        ({"kind": "no_data", "name": "r", "runbook": "wiki/page"}, "not a URL"),
    ],
)
def test_a_wrong_rule_is_refused_with_what_is_wrong(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        RULE.validate_python(settings)


def test_a_rule_is_written_as_in_yaml() -> None:
    rule = RULE.validate_python(
        {
            "kind": "window",
            "name": "strict_shop",
            "metric": "faithfulness",
            "statistic": "mean",
            "threshold": 0.9,
            "window": "1h",
            "for": "5m",
            "services": ["shop-*"],
            "severity": "page",
            "baseline": {"window": "2d", "min_change": 0.1},
        }
    )
    assert (rule.window, rule.for_, rule.baseline.window) == (3600.0, 300.0, 172_800.0)
    assert rule.matches("shop-eu", "lexical")
    assert not rule.matches("support", "lexical")
