"""Row 89: a score that flaps round its threshold is one alert."""

from alerts.rules import WindowRule
from tests.alerts.engines import bench
from tests.verdicts import good, unsupported


async def test_a_rate_that_swings_round_its_limit_raises_once_and_resolves_once() -> None:
    rule = WindowRule(
        name="r", metric="faithfulness", threshold=0.4, clear=0.3, window=600.0, min_n=20, for_=60.0, clear_for=300.0
    )
    b = bench(rule)
    number = 0
    for minute in range(120):
        bad_share = 0.75 if minute % 10 < 6 else 0.3
        for _ in range(20):
            number += 1
            verdict = unsupported if number * 7919 % 1000 < bad_share * 1000 else good
            b.observe(verdict(number))
        await b.tick(60.0, step=5.0)
    assert [signal.state for signal in b.notifier.signals] == ["firing"]
    for _ in range(30):
        for _ in range(20):
            number += 1
            b.observe(good(number))
        await b.tick(60.0, step=5.0)
    assert [signal.state for signal in b.notifier.signals] == ["firing", "resolved"]
