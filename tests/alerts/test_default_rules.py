"""The default rules on simulated traffic: silent on a healthy week, prompt on a jump.

Healthy means what the embedded judge makes of good answers: up to a fifth flagged as unsupported, none contradicted.
"""

import random

import pytest

from alerts.exposition import Metrics
from alerts.monitor import AlertEngine
from alerts.settings import AlertSettings
from alerts.store import VerdictStore
from tests.fakes import FakeClock
from tests.verdicts import contradicted, good, unsupported

HOUR = 3600.0
DAY = 24 * HOUR
TICK = 60.0


class Traffic:
    """One service: `rate` traces an hour by day, none between midnight and six."""

    def __init__(self, seed: int, rate: float) -> None:
        self._random = random.Random(seed)
        self._rate = rate
        self._seen = 0
        self.clock = FakeClock(now=6 * HOUR)
        self.engine = AlertEngine(
            AlertSettings().active_rules, [], Metrics(self.clock), VerdictStore(self.clock), self.clock, AlertSettings()
        )
        self.raised: dict[str, float] = {}

    async def run(self, seconds: float, *, unsupported_share: float, contradicted_share: float = 0.0) -> None:
        """Let traffic flow; `raised` gets the seconds into this run at which each rule first fires."""
        start = self.clock.now
        self.raised.clear()
        while self.clock.now < start + seconds:
            for _ in range(self._arrivals()):
                self._observe(unsupported_share, contradicted_share)
            self.clock.advance(TICK)
            self.engine.tick()
            for rule, _, _ in self.engine.firing:
                self.raised.setdefault(rule, self.clock.now - start)

    def _arrivals(self) -> int:
        if self.clock.now % DAY < 6 * HOUR:
            return 0
        expected = self._rate * TICK / HOUR
        return sum(self._random.random() < expected / 100 for _ in range(100))

    def _observe(self, unsupported_share: float, contradicted_share: float) -> None:
        self._seen += 1
        chance = self._random.random()
        if chance < contradicted_share:
            self.engine.observe(contradicted(self._seen))
        elif chance < contradicted_share + unsupported_share:
            self.engine.observe(unsupported(self._seen))
        else:
            self.engine.observe(good(self._seen))


@pytest.mark.parametrize(("seed", "rate"), [(1, 65.0), (2, 120.0)])
async def test_a_healthy_week_with_a_fifth_of_unsupported_noise_raises_nothing(seed: int, rate: float) -> None:
    traffic = Traffic(seed, rate)
    await traffic.run(7 * DAY, unsupported_share=0.2)
    assert traffic.raised == {}


async def test_a_judge_that_wrongly_sees_contradictions_in_2_of_100_answers_pages_nobody() -> None:
    traffic = Traffic(3, 200.0)
    await traffic.run(2 * DAY, unsupported_share=0.18, contradicted_share=0.02)
    assert set(traffic.raised) == {"contradicted_claim"}


@pytest.mark.parametrize(
    ("usual", "then", "rule"),
    [
        ({"unsupported_share": 0.1}, {"unsupported_share": 0.5}, "low_faithfulness"),
        ({"unsupported_share": 0.15}, {"unsupported_share": 0.1, "contradicted_share": 0.3}, "high_hallucination"),
    ],
)
async def test_a_jump_is_raised_within_half_an_hour(usual: dict[str, float], then: dict[str, float], rule: str) -> None:
    traffic = Traffic(4, 200.0)
    await traffic.run(1.25 * DAY, **usual)
    assert traffic.raised == {}
    await traffic.run(HOUR, **then)
    assert rule in traffic.raised
    assert traffic.raised[rule] <= 30 * 60


async def test_a_single_contradiction_is_raised_at_the_next_tick() -> None:
    traffic = Traffic(5, 60.0)
    traffic.engine.observe(contradicted(1))
    traffic.engine.tick()
    assert [rule for rule, _, _ in traffic.engine.firing] == ["contradicted_claim"]
