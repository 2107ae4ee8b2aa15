from dataclasses import replace

import pytest

from alerts.findings import Finding
from alerts.notifiers.base import Policy
from alerts.outbox import Due, Entry, Outbox, due
from alerts.rules import Severity
from alerts.signals import Cited, Signal, SignalState
from evaluators.statistics import wilson

FIRING, RESOLVED = SignalState.FIRING, SignalState.RESOLVED
EVENTS = Policy(repeat_s=4 * 3600.0)
ALERTMANAGER = Policy(repeat_s=60.0, resolved_for_s=300.0)


def signal(state: SignalState = FIRING, *, service: str = "shop", starts_at: float = 100.0) -> Signal:
    ends_at = starts_at + 50 if state is RESOLVED else None
    return Signal(
        rule="r",
        severity=Severity.TICKET,
        service=service,
        state=state,
        starts_at=starts_at,
        ends_at=ends_at,
        summary="s",
    )


@pytest.mark.parametrize(
    ("policy", "state", "sent_state", "sent_ago", "since_ago", "expected"),
    [
        (EVENTS, FIRING, None, 0, 0, Due.NEW),
        (EVENTS, FIRING, FIRING, 60, 60, Due.WAIT),
        (EVENTS, FIRING, FIRING, 4 * 3600, 4 * 3600, Due.REPEAT),
        (EVENTS, RESOLVED, FIRING, 10, 0, Due.RESOLVED),
        (EVENTS, RESOLVED, RESOLVED, 0, 0, Due.DONE),
        (EVENTS, FIRING, None, 0, 3601, Due.GIVE_UP),
        (EVENTS, RESOLVED, FIRING, 0, 3601, Due.GIVE_UP),
        (ALERTMANAGER, FIRING, FIRING, 59, 1000, Due.WAIT),
        (ALERTMANAGER, FIRING, FIRING, 60, 1000, Due.REPEAT),
        (ALERTMANAGER, RESOLVED, FIRING, 10, 0, Due.RESOLVED),
        (ALERTMANAGER, RESOLVED, RESOLVED, 60, 60, Due.REPEAT),
        (ALERTMANAGER, RESOLVED, RESOLVED, 60, 300, Due.DONE),
    ],
)
def test_what_is_due_follows_from_state_time_and_policy(
    policy: Policy, state: SignalState, sent_state: SignalState | None, sent_ago: int, since_ago: int, expected: Due
) -> None:
    now = 100_000.0
    entry = Entry(signal(state), now - since_ago, sent_state, now - sent_ago)
    assert due(entry, policy, now) is expected


def test_only_the_latest_state_of_an_alert_is_handed_over() -> None:
    outbox = Outbox(EVENTS)
    outbox.put(signal(), 0.0)
    outbox.put(replace(signal(), summary="newer"), 1.0)
    (latest,), _ = outbox.due(1.0)
    assert latest.summary == "newer"
    outbox.put(signal(RESOLVED), 2.0)
    (latest,), _ = outbox.due(2.0)
    assert latest.state is RESOLVED


def test_a_state_that_changed_while_it_was_sent_is_sent_again() -> None:
    outbox = Outbox(EVENTS)
    outbox.put(signal(), 0.0)
    batch, _ = outbox.due(0.0)
    outbox.put(signal(RESOLVED), 1.0)
    outbox.sent(batch, 2.0)
    (latest,), _ = outbox.due(2.0)
    assert latest.state is RESOLVED


def test_an_alert_that_is_raised_again_is_news() -> None:
    outbox = Outbox(ALERTMANAGER)
    outbox.put(signal(), 0.0)
    outbox.sent(outbox.due(0.0)[0], 0.0)
    outbox.put(signal(RESOLVED), 10.0)
    outbox.sent(outbox.due(10.0)[0], 10.0)
    outbox.put(signal(starts_at=200.0), 20.0)
    (again,), _ = outbox.due(20.0)
    assert (again.state, again.starts_at) == (FIRING, 200.0)


def leading_with(claim: str) -> Signal:
    finding = Finding("0" * 32, 0.0, "generation", claim=claim, contradicted=True)
    return replace(signal(), traces=(Cited(finding, "http://127.0.0.1:9464/traces/0"),))


def told(outbox: Outbox, now: float) -> list[str]:
    batch, _ = outbox.due(now)
    outbox.sent(batch, now)
    return [one.leading_claim for one in batch]


def test_another_failing_claim_of_a_firing_alert_is_told_but_not_more_often_than_the_policy_says() -> None:
    outbox = Outbox(Policy(update_s=900.0))
    outbox.put(leading_with("90 days"), 0.0)
    assert told(outbox, 0.0) == ["90 days"]
    assert told(outbox, 2000.0) == []
    outbox.put(leading_with("free returns"), 2001.0)
    assert told(outbox, 2001.0) == ["free returns"]
    outbox.put(leading_with("a voucher"), 2100.0)
    assert told(outbox, 2900.0) == []
    assert told(outbox, 2901.0) == ["a voucher"]


def test_whoever_wants_no_updates_and_alerts_about_a_number_get_none() -> None:
    quiet, numbers = Outbox(EVENTS), Outbox(Policy(update_s=900.0))
    for number, claim in enumerate(("90 days", "a voucher")):
        quiet.put(leading_with(claim), number)
        numbers.put(replace(leading_with(claim), estimate=wilson(1, 2)), number)
        sent = [len(told(outbox, number * 1000.0)) for outbox in (quiet, numbers)]
        assert sent == ([0, 0] if number else [1, 1])


def test_a_batch_has_a_limit_and_the_rest_follows() -> None:
    outbox = Outbox(Policy(batch=10))
    for number in range(25):
        outbox.put(signal(service=f"s{number}"), 0.0)
    sizes = []
    while batch := outbox.due(0.0)[0]:
        outbox.sent(batch, 0.0)
        sizes.append(len(batch))
    assert sizes == [10, 10, 5]


def test_there_is_room_for_so_many_alerts_and_no_more() -> None:
    outbox = Outbox(EVENTS, capacity=2)
    assert [outbox.put(signal(service=name), 0.0) for name in "abc"] == [True, True, False]
    assert outbox.put(replace(signal(service="a"), summary="newer"), 1.0)


def test_what_was_given_up_is_forgotten_or_waits_for_its_repeat() -> None:
    outbox = Outbox(EVENTS)
    outbox.put(signal(service="over"), 0.0)
    outbox.put(signal(RESOLVED, service="over"), 1.0)
    outbox.put(signal(service="lasting"), 0.0)
    batch, given_up = outbox.due(4000.0)
    assert (batch, given_up, len(outbox)) == ([], 2, 1)
    assert [s.service for s in outbox.due(4000.0 + 4 * 3600)[0]] == ["lasting"]
