import time

import pytest

from alerts.redaction import presentable, redact, shorten


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("write to jane.doe+x@mail.example.org now", "write to [e-mail] now"),
        ("call +49 151 1234 5678 today", "call [phone] today"),
        ("call (555) 010-4477", "call [phone]"),
        ("card 4111 1111 1111 1111 expires", "card [card] expires"),
        ("card 4111-1111-1111-1111.", "card [card]."),
        ("key sk-proj-abcdefghij0123456789XYZ", "key [key]"),
        ("token ghp_0123456789abcdefghijABCDEFGHIJ012345", "token [key]"),
        ("secret wJalrXUtnFEMIbK7MDENGbPxRfiCYEXAMPLEKEYwJal", "secret [key]"),
        ("aws AKIAIOSFODNN7EXAMPLE here", "aws [key] here"),
    ],
)
def test_personal_data_and_keys_are_replaced_by_their_kind(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        'answer says "90 days", chunk says "30 days"',
        "order 1234567890123 of 2026-11-30 10:15:00",
        "about 1,000,000 units at 12.50 euros",
        "trace 0af7651916cd43dd8448eb211c80319c",
        "see https://docs.example.org/refunds/returns-and-exchanges#section-2",
        "chunk 356a192b7913b04c54574d18c28d46e6395428ab",
        "version 3.14.5, build 20261130",
        "返金は30日以内です",
    ],
)
def test_what_the_reader_needs_stays(text: str) -> None:
    assert redact(text) == text


def test_a_text_is_cut_after_redaction_so_that_no_half_key_remains() -> None:
    text = "x" * 290 + " sk-abcdefghijklmnopqrstuvwxyz0123456789"
    shown = presentable(300)(text)
    assert len(shown) <= 300
    assert "sk-" not in shown


def test_a_shown_text_is_one_printable_line() -> None:
    assert shorten("one\ntwo\t\x1b[31mred\u202e\ud800", 100) == "one two \ufffd[31mred\ufffd\ufffd"
    assert shorten("abcdef", 4) == "abc…"


@pytest.mark.parametrize("text", ["a@" * 20_000, "1 " * 20_000, "+1" * 20_000, "A1" * 20_000, "a." * 20_000 + "@"])
def test_hostile_text_takes_no_long_time(text: str) -> None:
    started = time.process_time()
    redact(text[:600])
    assert time.process_time() - started < 0.1
