"""Sampling is a function of the trace id."""

import dataclasses
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evaluators.sampler import Decision, Sampler, SamplingRule, position
from tests.samples import sample


def sampler(rate: float, **match: object) -> Sampler:
    return Sampler([SamplingRule(rate=rate, **match)])  # type: ignore[arg-type]


@given(st.binary(min_size=16, max_size=16), st.floats(0, 1), st.floats(0, 1))
def test_a_trace_kept_at_a_low_rate_is_kept_at_every_higher_one(trace_id: bytes, one: float, other: float) -> None:
    low, high = sorted((one, other))
    given_sample = sample(trace_id.hex())
    if sampler(low).decide(given_sample) is Decision.SAMPLED:
        assert sampler(high).decide(given_sample) is Decision.SAMPLED


def test_the_position_of_a_trace_never_changes() -> None:
    assert position("0af7651916cd43dd8448eb211c80319c") == pytest.approx(0.0708663, abs=1e-6)


@pytest.mark.parametrize("kind", ["random", "counting", "x-ray"])
def test_the_share_is_right_whatever_way_trace_ids_are_made(kind: str) -> None:
    ids = {
        "random": [uuid.uuid4().hex for _ in range(20_000)],
        "counting": [f"{i:032x}" for i in range(20_000)],
        "x-ray": [f"{0x65000000 + i // 50:08x}{i:024x}" for i in range(20_000)],
    }[kind]
    kept = sum(sampler(0.1).decide(sample(i)) is Decision.SAMPLED for i in ids)
    assert 0.085 < kept / len(ids) < 0.115


def test_the_first_matching_rule_decides() -> None:
    rules = Sampler(
        [
            SamplingRule(rate=0.0, services=("batch-*",)),
            SamplingRule(rate=1.0, attributes={"deployment.environment": "prod*"}),
        ]
    )
    production = dataclasses.replace(sample(), attributes={"deployment.environment": "production"})
    assert rules.decide(production) is Decision.SAMPLED
    assert rules.decide(dataclasses.replace(production, service="batch-eval")) is Decision.SAMPLED_OUT
    assert rules.decide(sample()) is Decision.NO_RULE


def test_evaluation_traffic_is_excluded_unless_asked_for() -> None:
    playground = dataclasses.replace(sample(), excluded="playground")
    assert sampler(1.0).decide(playground) is Decision.EXCLUDED
    assert Sampler([SamplingRule(rate=1.0)], judge_excluded=True).decide(playground) is Decision.SAMPLED


@pytest.mark.parametrize("rate", [-0.1, 1.2, float("nan")])
def test_a_rate_that_is_no_share_is_refused(rate: float) -> None:
    with pytest.raises(ValidationError, match="rate"):
        SamplingRule(rate=rate)
