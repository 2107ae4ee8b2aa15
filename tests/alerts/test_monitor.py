from dataclasses import replace
from pathlib import Path

import orjson

from alerts.notifiers.jsonlines import JsonLinesSettings
from alerts.rules import CoverageRule, JudgeUnavailableRule, NoDataRule, Severity, TraceRule, WindowRule
from alerts.signals import SignalState
from evaluators.evaluation import SkipReason
from tests.alerts.engines import bench, series
from tests.fakes import FakeClock
from tests.verdicts import CONTRADICTED, assessment, contradicted, failed, good, skipped, trace_id, unsupported

CONTRADICTED_RULE = TraceRule(name="contradicted_claim", contradicted=True, severity=Severity.TICKET)
RATE_RULE = WindowRule(name="low_faithfulness", metric="faithfulness", threshold=0.4, window=600.0)


async def test_a_contradicted_claim_is_told_within_a_tick_with_claim_chunk_and_link() -> None:
    b = bench(CONTRADICTED_RULE)
    b.observe(contradicted(7))
    (signal,) = await b.tick()
    assert signal.state is SignalState.FIRING
    assert (
        signal.summary == 'faithfulness of shop-assistant: answer says "90 days", chunk refund-policy#1 says "30 days"'
    )
    assert signal.labels == {
        "alertname": "contradicted_claim",
        "service": "shop-assistant",
        "metric": "faithfulness",
        "judge": "lexical",
        "severity": "ticket",
    }
    assert signal.diagnosis == "generation"
    assert signal.url == f"http://127.0.0.1:9464/traces/{trace_id(7)}"
    assert signal.traces[0].finding.quote.startswith("customers may return")


async def test_supported_and_merely_unsupported_answers_are_no_signal_of_their_own() -> None:
    b = bench()
    b.observe(good(1), unsupported(2))
    assert await b.tick(30.0) == []


async def test_a_thousand_bad_traces_are_one_alert_with_count_and_worst_traces() -> None:
    b = bench(CONTRADICTED_RULE)
    b.observe(contradicted(0))
    await b.tick()
    for number in range(1, 1000):
        b.observe(contradicted(number))
        await b.tick(15.0, step=15.0)
    first, reminder = b.notifier.signals
    assert reminder.fingerprint == first.fingerprint
    assert reminder.starts_at == first.starts_at
    assert 950 < reminder.count <= 1000
    assert f"{reminder.count} answers contradict their chunks" in reminder.summary
    assert len(reminder.traces) == 3


async def test_an_alert_stays_up_while_contradictions_come_and_resolves_after_a_quiet_cooldown() -> None:
    b = bench(TraceRule(name="r", contradicted=True, cooldown=600.0))
    for number in range(5):
        b.observe(contradicted(number))
        assert len(await b.tick(500.0, step=20.0)) == (number == 0)
    (resolved,) = await b.tick(700.0, step=20.0)
    assert resolved.state is SignalState.RESOLVED
    assert resolved.traces, "the resolved signal still says which traces it was about"
    assert resolved.ends_at is not None
    assert resolved.ends_at > resolved.starts_at


async def test_another_contradiction_of_a_firing_alert_reaches_single_events_after_a_quarter_of_an_hour(
    tmp_path: Path,
) -> None:
    file = tmp_path / "alerts.jsonl"
    (lines,) = JsonLinesSettings(type="jsonlines", path=str(file)).build(FakeClock())
    b = bench(TraceRule(name="r", contradicted=True, cooldown=86_400.0), others=(lines,))
    b.observe(contradicted(1))
    await b.tick(60.0)
    b.observe(assessment(2, replace(CONTRADICTED, claim="Returns are free.", conflict=None)))
    await b.tick(780.0)
    assert len(file.read_bytes().splitlines()) == 1
    await b.tick(3600.0, step=15.0)
    first, second = map(orjson.loads, file.read_bytes().splitlines())
    assert (second["fingerprint"], second["state"], second["count"]) == (first["fingerprint"], "firing", 2)
    assert second["traces"][0]["claim"] == "Returns are free."
    assert len(b.notifier.signals) == 1


async def test_evidence_of_cited_traces_outlives_the_traffic() -> None:
    b = bench(CONTRADICTED_RULE)
    bad = contradicted(0)
    b.store.record(bad)
    b.observe(bad)
    for number in range(1, 3000):
        b.store.record(good(number))
    record = b.store.get(trace_id(0))
    assert record is not None
    assert record.assessments["lexical"] is bad
    assert b.store.get(trace_id(1)) is None


async def test_the_same_verdict_twice_counts_once() -> None:
    b = bench(RATE_RULE)
    b.observe(*(unsupported(1) for _ in range(100)))
    await b.tick(120.0)
    assert b.firing == set()


async def test_a_later_verdict_on_a_trace_replaces_the_earlier_one() -> None:
    b = bench(TraceRule(name="r", contradicted=True))
    b.observe(contradicted(1))
    await b.tick()
    assert b.firing == {"r"}
    b.observe(good(1, revision=1))
    (resolved,) = await b.tick(10.0)
    assert resolved.state is SignalState.RESOLVED


async def test_a_score_after_a_failure_of_the_same_evaluation_counts() -> None:
    b = bench(CONTRADICTED_RULE)
    b.observe(failed(1), contradicted(1))
    await b.tick()
    assert b.firing == {"contradicted_claim"}


async def test_judges_are_never_mixed_in_one_number() -> None:
    b = bench(RATE_RULE)
    b.observe(*(unsupported(n, judge="strict") for n in range(40)))
    b.observe(*(good(n, judge="lexical") for n in range(400)))
    await b.tick(20.0)
    assert [judge for _, _, judge in b.engine.firing] == ["strict"]
    assert series(b.metrics, "groundwatch_rule_firing", rule="low_faithfulness", service="shop-assistant") == 1.0


async def test_while_a_judge_is_unavailable_its_alerts_neither_rise_nor_resolve() -> None:
    b = bench(TraceRule(name="r", contradicted=True, cooldown=600.0))
    b.observe(contradicted(1))
    await b.tick(300.0, step=10.0)
    b.engine.judge_state("lexical", "open")
    b.observe(contradicted(2, service="other"))
    assert await b.tick(3600.0, step=60.0) == []
    assert b.engine.firing == [("r", "shop-assistant", "lexical")]
    b.engine.judge_state("lexical", "half_open")
    assert await b.tick(60.0) == []
    b.engine.judge_state("lexical", "closed")
    raised = await b.tick()
    assert [(signal.service, signal.state) for signal in raised] == [("other", SignalState.FIRING)]
    assert [s.state for s in await b.tick(330.0, step=10.0)] == [SignalState.RESOLVED]


async def test_another_judge_goes_on_while_one_is_unavailable() -> None:
    b = bench(CONTRADICTED_RULE)
    b.engine.judge_state("strict", "open")
    b.observe(contradicted(1, judge="lexical"))
    await b.tick()
    assert b.firing == {"contradicted_claim"}


async def test_an_unavailable_judge_has_one_alert_of_its_own_whatever_its_breaker_tries() -> None:
    b = bench(JudgeUnavailableRule(name="judge_unavailable"))
    for _ in range(20):
        b.engine.judge_state("lexical", "open")
        await b.tick(10.0)
        b.engine.judge_state("lexical", "half_open")
        await b.tick(2.0)
    (signal,) = b.notifier.signals
    assert signal.summary.startswith("judge lexical: unavailable")
    assert "service" not in signal.labels
    b.engine.judge_state("lexical", "closed")
    (resolved,) = await b.tick()
    assert resolved.state is SignalState.RESOLVED


async def test_an_outage_of_the_judge_does_not_read_as_low_coverage_after_it() -> None:
    b = bench(CoverageRule(name="low_coverage", min_n=10))
    b.observe(*(good(n) for n in range(10)))
    b.engine.judge_state("lexical", "open")
    b.observe(*(failed(n) for n in range(100, 300)))
    b.engine.judge_state("lexical", "closed")
    await b.tick(600.0, step=10.0)
    assert b.firing == set()


async def test_low_coverage_names_its_main_reason_and_leaves_out_what_nobody_meant_to_judge() -> None:
    b = bench(CoverageRule(name="low_coverage"))
    b.observe(*(good(n) for n in range(10)))
    b.observe(*(skipped(n, SkipReason.SAMPLED_OUT) for n in range(100, 400)))
    b.observe(*(skipped(n, SkipReason.NO_DOCUMENTS) for n in range(400, 700)))
    assert await b.tick(20.0) == []
    b.observe(*(skipped(n, SkipReason.NO_TEXT) for n in range(1000, 1090)))
    (signal,) = await b.tick()
    assert signal.summary.startswith("coverage of shop-assistant: 10 of 100 eligible traces got a faithfulness score")
    assert "mostly no_text" in signal.summary
    assert not signal.higher_is_worse


async def test_a_silent_service_is_missed_and_forgotten_after_a_week() -> None:
    b = bench(NoDataRule(name="no_data"))
    b.observe(*(good(n) for n in range(60)), every_s=1800.0)
    raised = await b.tick(3 * 3600, step=60.0)
    assert [signal.summary[:28] for signal in raised] == ["shop-assistant: no traces fo"]
    assert [s.state for s in await b.tick(8 * 86_400, step=3600.0)][-1] is SignalState.RESOLVED
    assert b.engine.firing == []
    assert len(b.engine._tracks) == 0


async def test_services_past_the_limit_are_watched_as_one() -> None:
    b = bench(CONTRADICTED_RULE, max_services=2)
    b.observe(*(contradicted(n, service=f"service-{n}") for n in range(50)))
    await b.tick()
    assert {service for _, service, _ in b.engine.firing} == {"service-0", "service-1", "__other__"}
    assert series(b.metrics, "groundwatch_label_overflow_total", label="alert_service") == 48.0


async def test_rules_are_counted_and_their_series_start_at_zero() -> None:
    b = bench(CONTRADICTED_RULE)
    labels = {"rule": "contradicted_claim", "service": "shop-assistant"}
    b.observe(good(1))
    assert series(b.metrics, "groundwatch_rule_firing", **labels) == 0.0
    assert series(b.metrics, "groundwatch_signals_total", **labels, severity="ticket") == 0.0
    b.observe(contradicted(2))
    await b.tick()
    assert series(b.metrics, "groundwatch_rule_firing", **labels) == 1.0
    assert series(b.metrics, "groundwatch_signals_total", **labels, severity="ticket") == 1.0
    assert series(b.metrics, "groundwatch_notifications_total", notifier="scripted", outcome="delivered") == 1.0


async def test_content_can_be_kept_out_of_alerts() -> None:
    b = bench(CONTRADICTED_RULE, content="ids")
    b.observe(contradicted(1))
    (signal,) = await b.tick()
    assert signal.summary == "faithfulness of shop-assistant: chunk refund-policy#1 contradicts the answer"
    told = str(signal.to_json())
    assert "90 days" not in told
    assert "30 days" not in told
    assert trace_id(1) in told


async def test_stopping_hands_over_what_is_due_and_closes_the_notifiers() -> None:
    b = bench(CONTRADICTED_RULE)
    b.observe(contradicted(1))
    b.engine.tick()
    await b.engine.stop()
    assert len(b.notifier.signals) == 1
    assert b.notifier.closed
