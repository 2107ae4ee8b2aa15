"""Turns of services in the queue of closed traces."""

from hypothesis import given
from hypothesis import strategies as st

from collector.fair_queue import TURN_BYTES, FairQueue
from collector.spans import ClosedTrace, KeptSpan, Resource


def trace(service: str, number: int, size: int = 1_000) -> ClosedTrace:
    span = KeptSpan(b"x" * size, Resource(service, {}))
    return ClosedTrace(number.to_bytes(16, "big"), (span,), "root", 0.0)


def services(queue: FairQueue, count: int) -> list[str]:
    return [queue.popleft().spans[0].resource.service for _ in range(count)]


def test_others_wait_for_one_large_trace_and_not_for_all_of_them() -> None:
    queue = FairQueue()
    for number in range(10):
        queue.append(trace("large", number, 3 * TURN_BYTES))
    for number in range(10, 15):
        queue.append(trace("small", number))
    assert services(queue, 7) == ["large", *["small"] * 5, "large"]


def test_a_flood_of_small_traces_takes_turns_with_others() -> None:
    queue = FairQueue()
    for number in range(5_000):
        queue.append(trace("flood", number, 1 << 10))
    queue.append(trace("quiet", 5_000))
    assert "quiet" in services(queue, TURN_BYTES // (1 << 10) + 1)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, TURN_BYTES * 2), st.booleans()), max_size=40))
def test_every_trace_comes_out_once_and_those_of_a_service_in_order(steps: list[tuple[str, int, bool]]) -> None:
    queue, came_out = FairQueue(), []
    for number, (service, size, take) in enumerate(steps):
        queue.append(trace(service, number, size))
        if take:
            came_out.append(queue.popleft())
    came_out += [queue.popleft() for _ in range(len(queue))]
    for service in "abc":
        numbers = [one.trace_id for one in came_out if one.spans[0].resource.service == service]
        assert numbers == [n.to_bytes(16, "big") for n, step in enumerate(steps) if step[0] == service]
    assert len(queue) == 0
