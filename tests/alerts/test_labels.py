from alerts.labels import MAX_LENGTH, OTHER, LabelValues, clean_label


def test_the_first_values_are_kept_and_the_rest_is_other_and_counted() -> None:
    label = LabelValues(2)
    assert [label(name) for name in ("a", "b", "c", "a", "d")] == ["a", "b", OTHER, "a", OTHER]
    assert label.overflows == 2


def test_what_cannot_be_shown_is_replaced() -> None:
    assert clean_label("shop\ud800\n\x1b[31m\u202e\x00") == "shop\ufffd\ufffd\ufffd[31m\ufffd\ufffd"
    assert clean_label('quote " and back\\slash, 注文') == 'quote " and back\\slash, 注文'


def test_a_long_value_is_cut() -> None:
    assert clean_label("x" * 10_000) == "x" * MAX_LENGTH


def test_dirty_variants_of_one_value_share_its_place() -> None:
    label = LabelValues(1)
    assert {label("a\n"), label("a\r"), label("a\t")} == {"a\ufffd"}
    assert label.overflows == 0
