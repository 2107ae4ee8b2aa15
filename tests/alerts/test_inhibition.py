from dataclasses import dataclass

import pytest

from alerts.inhibition import is_inhibited
from alerts.rules import EmptyRetrievalRule, JudgeUnavailableRule, RuleSettings, WindowRule
from alerts.slices import Slice

QUALITY = WindowRule(name="quality", metric="faithfulness", threshold=0.4)


@dataclass(frozen=True)
class Told:
    """An alert, as far as inhibition looks at it."""

    rule: RuleSettings
    service: str = "shop"
    judge: str = "lexical"
    slice: Slice = ()


EMPTY = EmptyRetrievalRule(name="nothing_found")
DOWN = JudgeUnavailableRule(name="judge_gone")
PART: Slice = (("tenant", "a"),)


@pytest.mark.parametrize(
    ("cause", "inhibited"),
    [
        (Told(EMPTY, judge=""), True),
        (Told(EMPTY, service="bot", judge=""), False),
        (Told(DOWN, service=""), True),
        (Told(DOWN, service="", judge="strict"), False),
        (Told(EMPTY, judge="", slice=PART), False),
        (Told(QUALITY), False),
    ],
    ids=["same service", "another service", "its judge", "another judge", "only a part of it", "no cause"],
)
def test_a_cause_explains_what_is_about_the_same_or_less(cause: Told, inhibited: bool) -> None:
    assert is_inhibited(Told(QUALITY), [cause]) is inhibited


def test_the_cause_of_the_whole_explains_its_parts() -> None:
    assert is_inhibited(Told(QUALITY, slice=PART), [Told(EMPTY, judge="")])


def test_a_cause_can_be_named_by_rule_and_none_can_be_wanted() -> None:
    mine = WindowRule(name="r", metric="faithfulness", threshold=0.4, inhibited_by=("quality",))
    assert is_inhibited(Told(mine), [Told(QUALITY)])
    assert not is_inhibited(Told(mine), [Told(EMPTY, judge="")])
    free = WindowRule(name="r", metric="faithfulness", threshold=0.4, inhibited_by=())
    assert not is_inhibited(Told(free), [Told(EMPTY, judge="")])
