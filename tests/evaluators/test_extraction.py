import time

import pytest

from evaluators.extraction import last_object


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('Here it is:\n```json\n{"a": {"b": 2}}\n```\nDone.', '{"a": {"b": 2}}'),
        ('{"a": 1} and then {"a": 2}', '{"a": 2}'),
        ('a "quoted { brace" before {"a": 1}', None),
        ('{"a": "} { \\" }"}', '{"a": "} { \\" }"}'),
        ("{placeholder} text {}", "{}"),
        ("no object", None),
        ("", None),
        ('{"a": 1', None),
        ('{"a": 1} {"a": ', None),
    ],
)
def test_the_last_object_counts_and_an_unfinished_one_is_none(text, found):
    assert last_object(text) == found


@pytest.mark.parametrize(
    "text", ["{" * 200_000, '{"' + '\\"' * 100_000, '{"' * 100_000, "{}" * 100_000, '{""' * 60_000]
)
def test_no_reply_makes_it_slow(text):
    started = time.process_time()
    last_object(text)
    assert time.process_time() - started < 1.0
