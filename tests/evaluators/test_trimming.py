import pytest

from evaluators.evaluation import SkipReason
from evaluators.judges.base import NotJudgedError
from evaluators.trimming import BYTES_PER_TOKEN, trim


def test_what_fits_is_left_as_it_is():
    assert trim(["a" * 500, "b" * 400], ["q"], 400) == (("a" * 500, "b" * 400), frozenset())


def test_long_chunks_give_way_first_and_none_is_dropped():
    chunks, cut = trim(["a" * 5_000, "b" * 700, "c" * 9_000], ["q" * 100], 1_000)
    assert cut == {0, 2}
    assert chunks[1] == "b" * 700
    assert len(chunks[0]) == len(chunks[2]) == (1_000 * BYTES_PER_TOKEN - 100 - 700) // 2


def test_a_context_of_which_too_little_would_be_left_is_too_long():
    with pytest.raises(NotJudgedError) as skipped:
        trim(["a" * 5_000] * 50, [], 1_000)
    assert skipped.value.reason is SkipReason.TOO_LONG


def test_a_question_and_answer_that_alone_are_too_long_are_too_long():
    with pytest.raises(NotJudgedError):
        trim(["a" * 50], ["q" * 10_000], 1_000)


def test_no_character_is_cut_in_half():
    chunks, _ = trim(["ü漢" * 2_000], [], 1_000)
    assert set(chunks[0]) == {"ü", "漢"}
