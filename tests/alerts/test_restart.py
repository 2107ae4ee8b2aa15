"""A restart neither loses a notification nor repeats one, and an alert goes on where it was."""

import gc
import weakref
from pathlib import Path

from alerts.exposition import Metrics
from alerts.labels import LabelValues
from alerts.monitor import AlertEngine
from alerts.notifiers.base import Policy
from alerts.outbox_store import Kept
from alerts.rules import RuleSettings, Severity, TraceRule
from alerts.settings import AlertSettings
from alerts.signals import SignalState
from alerts.store import VerdictStore
from evaluators.errors import RetryableError
from tests.alerts.engines import Bench, bench, series
from tests.fakes import FakeClock, ScriptedNotifier
from tests.verdicts import contradicted, good, trace_id

RULE = TraceRule(name="contradicted_claim", contradicted=True, cooldown=600.0)


def start(
    folder: Path | None,
    *steps: object,
    epoch: float = 1_800_000_000.0,
    rule: RuleSettings = RULE,
    policy: Policy | None = None,
) -> Bench:
    """A new process: its monotonic clock begins anew, the wall clock goes on."""
    clock = FakeClock(now=5_000.0, epoch=epoch - 5_000.0)
    return bench(
        rule, notifier=ScriptedNotifier(*steps, policy=policy), clock=clock, outbox_path=folder and folder / "outbox.db"
    )


async def test_an_alert_that_was_told_is_not_told_again_and_keeps_its_beginning(tmp_path: Path) -> None:
    first = start(tmp_path)
    first.observe(contradicted(7))
    (told,) = await first.tick()
    await first.engine.stop()
    second = start(tmp_path, epoch=1_800_000_100.0)
    assert await second.tick(120.0) == []
    assert second.firing == {"contradicted_claim"}
    second.observe(contradicted(8))
    assert await second.tick(60.0) == []
    (resolved,) = await second.tick(700.0, step=5.0)
    assert (resolved.state, resolved.fingerprint) == (SignalState.RESOLVED, told.fingerprint)
    assert resolved.starts_at == told.starts_at


async def test_after_a_kill_too(tmp_path: Path) -> None:
    first = start(tmp_path)
    first.observe(contradicted(7))
    await first.tick()
    second = start(tmp_path, epoch=1_800_000_010.0)
    assert await second.tick(60.0) == []
    assert second.firing == {"contradicted_claim"}


async def test_what_could_not_be_told_is_told_by_the_next_process_with_its_evidence(tmp_path: Path) -> None:
    first = start(tmp_path, RetryableError("down"))
    first.observe(contradicted(7))
    await first.tick(3.0)
    second = start(tmp_path, epoch=1_800_000_020.0)
    (told,) = await second.tick()
    assert told.traces[0].finding.trace_id == trace_id(7)
    assert 'answer says "90 days"' in told.summary


async def test_an_alert_without_news_is_resolved_by_its_rule_and_says_what_it_was_about(tmp_path: Path) -> None:
    first = start(tmp_path)
    first.observe(contradicted(7))
    await first.tick()
    second = start(tmp_path, epoch=1_800_000_020.0)
    second.observe(good(9))
    assert await second.tick(590.0, step=10.0) == []
    (resolved,) = await second.tick(60.0, step=5.0)
    assert resolved.state is SignalState.RESOLVED
    assert resolved.ends_at is not None
    assert resolved.ends_at > resolved.starts_at


async def test_an_alert_whose_rule_is_gone_or_has_changed_is_resolved(tmp_path: Path) -> None:
    first = start(tmp_path)
    first.observe(contradicted(7))
    await first.tick()
    page = RULE.model_copy(update={"severity": Severity.PAGE})
    second = start(tmp_path, epoch=1_800_000_020.0, rule=page)
    (resolved,) = await second.tick()
    assert (resolved.state, resolved.severity) == (SignalState.RESOLVED, "ticket")
    assert second.firing == set()


async def test_a_repeat_comes_when_it_would_have_come(tmp_path: Path) -> None:
    rule = TraceRule(name="r", contradicted=True, cooldown=86_400.0)
    first = start(tmp_path, rule=rule)
    first.observe(contradicted(7))
    await first.tick()
    second = start(tmp_path, epoch=1_800_000_000.0 + 3 * 3600.0, rule=rule)
    assert await second.tick(3000.0, step=60.0) == []
    assert len(await second.tick(700.0, step=60.0)) == 1


async def test_a_claim_that_was_told_is_no_news_to_the_next_process(tmp_path: Path) -> None:
    rule, policy = TraceRule(name="r", contradicted=True, cooldown=86_400.0), Policy(update_s=900.0)
    first = start(tmp_path, rule=rule, policy=policy)
    first.observe(contradicted(7))
    await first.tick()
    second = start(tmp_path, epoch=1_800_000_020.0, rule=rule, policy=policy)
    second.observe(contradicted(8))
    assert await second.tick(2000.0, step=20.0) == []


async def test_a_group_is_told_whole_at_once_and_not_more_often_than_its_interval() -> None:
    policy = Policy(group_by=("service",), group_interval_s=60.0)
    b = bench(TraceRule(name="r", contradicted=True, slice=("tenant",)), notifier=ScriptedNotifier(policy=policy))
    b.observe(*(contradicted(n, attributes={"tenant": f"t{n}"}) for n in range(3)))
    b.observe(contradicted(9, service="bot"))
    await b.tick()
    assert [len(batch) for batch in b.notifier.sent] == [3, 1]
    b.observe(contradicted(4, attributes={"tenant": "t4"}))
    assert await b.tick(50.0) == []
    await b.tick(20.0)
    assert [len(batch) for batch in b.notifier.sent[2:]] == [4]


async def test_an_alert_that_another_process_told_goes_on_and_is_resolved_by_what_was_observed_of_it() -> None:
    b = start(None)
    wall = b.clock.wall()
    b.observe(contradicted(7))
    (told,) = await b.tick()
    taken_over = start(None, epoch=wall)
    taken_over.observe(contradicted(7))
    taken_over.engine.adopt(
        [("scripted", Kept(told, wall, SignalState.FIRING, wall)), ("gone", Kept(told, 0, None, 0))]
    )
    assert await taken_over.tick(590.0, step=10.0) == []
    assert taken_over.firing == {"contradicted_claim"}
    (resolved,) = await taken_over.tick(30.0, step=5.0)
    assert (resolved.state, resolved.starts_at) == (SignalState.RESOLVED, told.starts_at)


async def test_who_has_given_its_services_away_tells_nothing_more_and_shows_none_as_firing() -> None:
    b = start(None, RetryableError("down"))
    b.observe(contradicted(7))
    await b.tick(3.0)
    firing = {"rule": "contradicted_claim", "service": contradicted(7).sample.service}
    assert series(b.metrics, "groundwatch_rule_firing", **firing) == 1
    before = len(b.notifier.signals)
    await b.engine.abandon()
    assert len(b.notifier.signals) == before
    assert series(b.metrics, "groundwatch_rule_firing", **firing) == 0


async def test_an_alert_that_another_process_tells_is_raised_here_and_not_told() -> None:
    clock, notifier = FakeClock(), ScriptedNotifier()
    metrics, store = Metrics(clock), VerdictStore(clock)
    engine = AlertEngine([RULE], [notifier], metrics, store, clock, AlertSettings(), None, lambda name: name != "shop")
    engine.observe(contradicted(7, service="shop"))
    engine.observe(contradicted(8, service="bot"))
    engine.tick()
    await engine.idle()
    assert {service for _, service, _ in engine.firing} == {"shop", "bot"}
    assert [signal.service for signal in notifier.signals] == ["bot"]


async def test_engines_that_have_given_their_services_away_are_not_kept_and_what_they_counted_is() -> None:
    metrics, store, settings = Metrics(FakeClock()), VerdictStore(FakeClock()), AlertSettings(max_services=1)
    gone: list[weakref.ref[LabelValues]] = []
    for _ in range(3):
        engine = AlertEngine([RULE], [], metrics, store, FakeClock(), settings)
        for number, service in enumerate(("shop", "bot")):
            engine.observe(contradicted(number, service=service))
        await engine.abandon()
        await engine.abandon()
        gone.append(weakref.ref(engine._services))
    del engine
    gc.collect()
    assert [one() for one in gone] == [None] * 3
    assert series(metrics, "groundwatch_label_overflow_total", label="alert_service") == 3
