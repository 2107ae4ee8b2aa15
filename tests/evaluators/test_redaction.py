import time

import pytest

from evaluators.redaction import Pseudonyms, redact


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("write to jane.doe+x@mail.example.org now", "write to [e-mail] now"),
        ("call +49 151 1234 5678 today", "call [phone] today"),
        ("card 4111 1111 1111 1111 expires", "card [card] expires"),
        ("account DE89 3704 0044 0532 0130 00 at the bank", "account [iban] at the bank"),
        ("account DE89370400440532013000.", "account [iban]."),
        ("GB29 NWBK 6016 1331 9268 19 AND MORE IN CAPITALS", "[iban] AND MORE IN CAPITALS"),
        ("NO93 8601 1117 947", "[iban]"),
        ("key sk-proj-abcdefghij0123456789XYZ", "key [key]"),
        ("secret wJalrXUtnFEMIbK7MDENGbPxRfiCYEXAMPLEKEYwJal", "secret [key]"),
    ],
)
def test_personal_data_and_keys_are_replaced_by_their_kind(text, shown):
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "DE88 3704 0044 0532 0130 00",
        "Model AB12 CDEF 3456 GHIJ 7890 of 2026",
        "the years 2024, 2025 and 2026; part 12-34-56",
        "returns within 30 days, 1,000,000 units at 12.50",
    ],
)
def test_what_only_looks_like_it_stays(text):
    assert redact(text) == text


def test_the_same_has_the_same_stand_in_and_another_has_another():
    names = Pseudonyms()
    hidden = names.hide("a@x.org, b@x.org and a@x.org; +49 151 1234 5678")
    assert hidden == "[e-mail 1], [e-mail 2] and [e-mail 1]; [phone 1]"
    assert names.hide("b@x.org") == "[e-mail 2]"
    assert names.restore(hidden) == "a@x.org, b@x.org and a@x.org; +49 151 1234 5678"
    assert names.restore("[e-mail 3] [1]") == "[e-mail 3] [1]"


@pytest.mark.parametrize(
    "text",
    [
        "a@" * 25_000,
        "1 " * 25_000,
        "+1" * 25_000,
        "A1" * 25_000,
        "Aa/+" * 12_500,
        "a." * 25_000 + "@",
        "DE89" * 12_500,
        "DE89 " * 10_000,
        "x" * 50_000 + "@",
        "eyJ" * 16_000,
    ],
)
def test_no_text_of_the_size_of_a_prompt_takes_long(text):
    started = time.process_time()
    redact(text)
    assert time.process_time() - started < 0.5
