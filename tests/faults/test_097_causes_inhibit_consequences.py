"""Row 97: while the judge or the retriever is down, that is told, and not the low quality that follows from it."""

from dataclasses import replace

from alerts.rules import EmptyRetrievalRule, JudgeUnavailableRule, SloRule, WindowRule
from evaluators.evaluation import Assessment, SkipReason
from evaluators.sample import Readiness
from tests.alerts.engines import bench, series
from tests.verdicts import good, skipped, unsupported

QUALITY = WindowRule(name="low_faithfulness", metric="faithfulness", threshold=0.4, window=600.0)
EMPTY = EmptyRetrievalRule(name="empty_retrieval")


def nothing_found(number: int, **rest: object) -> Assessment:
    made = skipped(number, SkipReason.NO_DOCUMENTS, **rest)
    return replace(made, sample=replace(made.sample, readiness=Readiness.NO_DOCUMENTS, chunks=()))


async def test_an_empty_index_is_told_and_the_low_scores_of_what_is_left_are_not() -> None:
    b = bench(QUALITY, EMPTY)
    b.observe(*(nothing_found(n) for n in range(100)), *(unsupported(n) for n in range(200, 240)))
    (signal,) = await b.tick(120.0)
    assert signal.rule == "empty_retrieval"
    assert signal.summary.startswith("retrieval of shop-assistant: 100 of 140 retrievals in 15m returned nothing")
    labels = {"rule": "low_faithfulness", "service": "shop-assistant"}
    assert series(b.metrics, "groundwatch_signals_inhibited_total", **labels) == 1.0


async def test_what_outlasts_its_cause_is_told_then() -> None:
    b = bench(QUALITY, EmptyRetrievalRule(name="empty_retrieval", window=60.0))
    b.observe(*(nothing_found(n) for n in range(100)), *(unsupported(n) for n in range(200, 240)))
    await b.tick(30.0)
    assert b.firing == {"empty_retrieval"}
    b.observe(*(unsupported(n) for n in range(300, 340)))
    await b.tick(90.0)
    assert b.firing == {"low_faithfulness"}


async def test_another_service_is_not_kept_back() -> None:
    b = bench(QUALITY, EMPTY)
    b.observe(*(nothing_found(n) for n in range(100)), *(unsupported(n, service="bot") for n in range(200, 240)))
    assert {(s.rule, s.service) for s in await b.tick()} == {
        ("empty_retrieval", "shop-assistant"),
        ("low_faithfulness", "bot"),
    }


async def test_two_judges_count_a_retrieval_once() -> None:
    b = bench(EmptyRetrievalRule(name="empty_retrieval", min_n=20))
    b.observe(*(nothing_found(n, judge=judge) for n in range(15) for judge in ("lexical", "strict")))
    assert await b.tick() == []


async def test_a_judge_that_is_down_speaks_for_the_quality_that_nobody_can_see() -> None:
    b = bench(QUALITY, JudgeUnavailableRule(name="judge_unavailable", for_=0.0))
    b.observe(*(good(n) for n in range(40)))
    b.engine.judge_state("lexical", "open")
    b.observe(*(unsupported(n) for n in range(100, 200)))
    assert [signal.rule for signal in await b.tick(300.0)] == ["judge_unavailable"]


async def test_the_page_of_an_objective_speaks_for_its_ticket() -> None:
    slo = SloRule(name="quality", objective=0.95)
    b = bench(*slo.parts())
    b.observe(*(unsupported(n) for n in range(100)), every_s=2.0)
    assert {signal.rule for signal in await b.tick(60.0)} == {"quality_page"}
