"""What a commit says of the past, as a pure decision."""

import pytest

from collector.receivers.kafka_history import BLOCK, MAX_BLOCKS, UNKNOWN_PAST, Firsts, History, Past

SECOND = 1000
TRACE, OTHER = b"t" * 16, b"o" * 16


def history(look_back_s: float = 0.0, firsts: Firsts | None = None) -> History:
    return History(firsts or Firsts(), look_back_s)


def test_a_trace_on_both_sides_of_the_watermark_is_read_from_its_first_message() -> None:
    past = history()
    past.note(3 * BLOCK, 0, [TRACE])
    past.note(5 * BLOCK, 0, [OTHER])
    past.note(7 * BLOCK, 0, [TRACE])
    assert past.reaches_back_to(6 * BLOCK) == 3 * BLOCK
    assert past.reaches_back_to(8 * BLOCK) == 8 * BLOCK


def test_traces_that_had_messages_shortly_before_the_watermark_are_read_from_their_first_one_too() -> None:
    past = history(look_back_s=30)
    past.note(1 * BLOCK, 0, [OTHER])
    past.note(3 * BLOCK, 20 * SECOND, [TRACE])
    past.note(5 * BLOCK, 80 * SECOND, [TRACE])
    past.note(6 * BLOCK, 90 * SECOND, [])
    assert past.reaches_back_to(7 * BLOCK) == 3 * BLOCK


def test_nothing_is_read_again_where_nothing_was_read_or_no_trace_goes_on() -> None:
    past = history()
    assert past.reaches_back_to(77) == 77
    for number in range(5):
        past.note(number * BLOCK, number, [bytes([number]) * 16])
    assert past.reaches_back_to(5 * BLOCK) == 5 * BLOCK


def test_what_no_commit_needs_any_more_is_forgotten_and_blocks_and_traces_are_bounded() -> None:
    firsts = Firsts(capacity=10)
    past = history(look_back_s=1, firsts=firsts)
    for number in range(MAX_BLOCKS + 100):
        past.note(number * BLOCK, number * SECOND, [number.to_bytes(16, "big")])
    assert len(past._blocks) == MAX_BLOCKS
    assert len(firsts._offsets) == 10
    past.reaches_back_to((MAX_BLOCKS + 100) * BLOCK)
    assert len(past._blocks) == 1


def test_partitions_share_the_bound_and_not_the_offsets() -> None:
    firsts = Firsts()
    one, two = history(firsts=firsts), history(firsts=firsts)
    one.note(0, 0, [TRACE])
    two.note(5 * BLOCK, 0, [TRACE])
    assert two.reaches_back_to(5 * BLOCK) == 5 * BLOCK


def test_a_past_survives_its_way_through_a_commit() -> None:
    assert Past.load(Past(3, 9).dump(), 5) == Past(3, 9)


@pytest.mark.parametrize("metadata", ["", "x", "1 3", "1 3 nine", "2 3 9", "1 3 9 9", "1 -3 9", "1 ² 9"])
def test_metadata_that_somebody_else_wrote_says_nothing_of_the_past(metadata: str) -> None:
    assert Past.load(metadata, 5) is None


def test_of_a_past_of_which_nothing_is_said_some_messages_are_remembered() -> None:
    assert Past.unknown(3, oldest=0) == Past(0, 3)
    assert Past.unknown(UNKNOWN_PAST + 9, oldest=0) == Past(9, UNKNOWN_PAST + 9)
    assert Past.unknown(9, oldest=4) == Past(4, 9)
    assert Past.unknown(9, oldest=12) == Past(9, 9)


def test_a_past_that_contradicts_its_offset_is_cut_to_it() -> None:
    assert Past.load("1 8 2", 5) == Past(5, 5)
