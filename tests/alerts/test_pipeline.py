import logging
from pathlib import Path

import pytest

from alerts.exposition import Metrics
from alerts.outbox_file import OutboxFile
from alerts.pipeline import NotificationPipeline, backoff
from evaluators.errors import PermanentError, RetryableError
from tests.alerts.engines import series
from tests.alerts.test_outbox import FIRING, RESOLVED, signal
from tests.fakes import FakeClock, ScriptedNotifier


class Desk:
    """A pipeline with a fake clock; jitter is at its most patient."""

    def __init__(self, *notifiers: ScriptedNotifier, file: OutboxFile | None = None) -> None:
        self.clock = FakeClock()
        self.metrics = Metrics(self.clock)
        self.pipeline = NotificationPipeline(notifiers, self.metrics, self.clock, file, chance=lambda: 1.0)

    async def tick(self, seconds: float = 0.0) -> None:
        for _ in range(int(seconds) + 1):
            self.pipeline.tick(self.clock.now)
            await self.pipeline.idle()
            self.clock.advance(1.0)

    def count(self, outcome: str, notifier: str = "scripted") -> float | None:
        return series(self.metrics, "groundwatch_notifications_total", notifier=notifier, outcome=outcome)

    def pending(self, notifier: str = "scripted") -> float | None:
        return series(self.metrics, "groundwatch_notifications_pending", notifier=notifier)


@pytest.mark.parametrize(
    ("attempt", "retry_after", "chance", "seconds"),
    [
        (1, None, 1.0, 1.0),
        (1, None, 0.0, 0.5),
        (4, None, 1.0, 8.0),
        (50, None, 1.0, 60.0),
        (1, 30.0, 0.0, 30.0),
        (1, 86_400.0, 0.0, 300.0),
        (1, -5.0, 1.0, 1.0),
    ],
)
def test_the_pause_grows_is_spread_and_believes_the_receiver_within_reason(
    attempt: int, retry_after: float | None, chance: float, seconds: float
) -> None:
    assert backoff(attempt, retry_after, chance) == seconds


async def test_a_failed_send_is_tried_again_with_growing_pauses() -> None:
    notifier = ScriptedNotifier(RetryableError("down"), RetryableError("down"), RetryableError("down"), None)
    desk = Desk(notifier)
    desk.pipeline.publish(signal(), 0.0)
    await desk.tick(1.0)
    assert notifier.attempts == 2
    await desk.tick(10.0)
    assert (notifier.attempts, len(notifier.signals)) == (4, 1)
    assert (desk.count("retried"), desk.count("delivered")) == (3.0, 1.0)


async def test_a_refusal_is_final() -> None:
    notifier = ScriptedNotifier(PermanentError("HTTP 404"))
    desk = Desk(notifier)
    desk.pipeline.publish(signal(), 0.0)
    await desk.tick(600.0)
    assert (notifier.attempts, desk.count("rejected")) == (1, 1.0)


async def test_a_receiver_that_hangs_is_left_and_tried_again() -> None:
    notifier = ScriptedNotifier(60.0)
    notifier.timeout_s = 0.01
    desk = Desk(notifier)
    desk.pipeline.publish(signal(), 0.0)
    await desk.tick()
    assert (notifier.signals, desk.count("retried")) == ([], 1.0)


async def test_a_receiver_that_is_down_delays_no_other() -> None:
    down, fine = ScriptedNotifier(RetryableError("down"), name="down"), ScriptedNotifier(name="fine")
    desk = Desk(down, fine)
    desk.pipeline.publish(signal(), 0.0)
    await desk.tick()
    assert len(fine.signals) == 1
    assert desk.pipeline.health == {"down": False, "fine": True}


async def test_after_an_outage_each_alert_is_told_once_as_it_is_now() -> None:
    notifier = ScriptedNotifier(*[RetryableError("down")] * 6, None)
    desk = Desk(notifier)
    for number in range(30):
        desk.pipeline.publish(signal(service=f"s{number}"), desk.clock.now)
    await desk.tick(20.0)
    for number in range(10):
        desk.pipeline.publish(signal(RESOLVED, service=f"s{number}"), desk.clock.now)
    await desk.tick(120.0)
    states = {s.service: s.state for s in notifier.signals}
    assert len(notifier.signals) == 30
    assert len(notifier.sent) == 1
    assert (states["s0"], states["s29"]) == (RESOLVED, FIRING)


async def test_what_cannot_be_told_for_an_hour_is_given_up_and_counted() -> None:
    notifier = ScriptedNotifier(RetryableError("down"))
    desk = Desk(notifier)
    desk.pipeline.publish(signal(), 0.0)
    await desk.tick()
    desk.clock.advance(3700.0)
    await desk.tick(2.0)
    assert desk.count("gave_up") == 1.0


async def test_a_bug_of_a_notifier_is_survived_and_says_nothing_of_what_it_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notifier = ScriptedNotifier(ValueError("could not send 'patient Jane Doe'"), None)
    desk = Desk(notifier)
    desk.pipeline.publish(signal(), 0.0)
    with caplog.at_level(logging.DEBUG):
        await desk.tick(3.0)
    assert len(notifier.signals) == 1
    assert "ValueError" in caplog.text
    assert "Jane" not in caplog.text


async def test_a_failing_receiver_is_logged_once_and_once_when_it_works_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notifier = ScriptedNotifier(*[RetryableError("HTTP 503")] * 4, None)
    desk = Desk(notifier)
    desk.pipeline.publish(signal(), 0.0)
    with caplog.at_level(logging.INFO):
        await desk.tick(60.0)
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]


async def test_stop_makes_a_last_attempt_and_does_not_wait_past_its_deadline() -> None:
    stuck, fine = ScriptedNotifier(60.0, name="stuck"), ScriptedNotifier(name="fine")
    desk = Desk(stuck, fine)
    desk.pipeline.publish(signal(), 0.0)
    await desk.pipeline.stop(0.05)
    assert (len(fine.signals), stuck.signals) == (1, [])
    assert stuck.closed
    assert fine.closed


async def test_pending_counts_what_is_not_delivered_and_not_what_still_fires() -> None:
    notifier = ScriptedNotifier(RetryableError("down"), None)
    desk = Desk(notifier)
    desk.pipeline.publish(signal(service="a"), 0.0)
    await desk.tick()
    desk.pipeline.publish(signal(service="b"), desk.clock.now)
    desk.clock.now -= 0.9
    await desk.tick()
    assert desk.pending() == 2.0
    await desk.tick(5.0)
    assert (len(notifier.signals), desk.pending()) == (2, 0.0)


@pytest.mark.parametrize(("kept", "fate"), [(True, "the outbox keeps them"), (False, "they are lost")])
async def test_what_is_undelivered_at_the_end_is_counted_and_said_once(
    kept: bool, fate: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    down, fine = ScriptedNotifier(RetryableError("down"), name="down"), ScriptedNotifier(name="fine")
    desk = Desk(down, fine, file=OutboxFile(tmp_path / "outbox.sqlite" if kept else None))
    for name in ("a", "b"):
        desk.pipeline.publish(signal(service=name), 0.0)
    await desk.tick()
    caplog.clear()
    assert await desk.pipeline.stop(1.0) == {"down": 2}
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.getMessage().startswith(f"alerts that were not delivered: down 2; {fate}")


async def test_nothing_is_said_at_the_end_where_all_was_delivered(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(ScriptedNotifier())
    desk.pipeline.publish(signal(), 0.0)
    assert await desk.pipeline.stop(1.0) == {}
    assert not caplog.records


async def test_series_of_a_notifier_start_at_zero() -> None:
    desk = Desk(ScriptedNotifier())
    assert [desk.count(outcome) for outcome in ("delivered", "retried", "rejected", "gave_up", "dropped")] == [0.0] * 5
