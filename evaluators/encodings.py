"""Text that hides in other text: what a model would read after decoding it."""

import binascii
import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote

_ALPHABET = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")
_SHAPE = bytes(ord("x") if code in _ALPHABET else ord(" ") for code in range(256))
_STANDARD = bytes.maketrans(b"-_", b"+/")
_HEX = b"0123456789abcdefABCDEF"
_CONTROLS = bytes({*range(32), 127} - {9, 10, 13})
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SHORTEST = 24
"""Characters: what is shorter holds less than 18 letters, and no order."""

_RUN = b"x" * _SHORTEST
_MAX_RUNS, _MAX_LENGTH = 16, 4096
"""Of one text: pictures in data addresses are long, and a page full of them must not take long."""

_LONG_REFERENCE = re.compile("&#([0-9]{8,})")
"""Python refuses to read the number of one that is thousands of digits long."""


def may_be_encoded(text: str) -> bool:
    """Whether `decoded` has anything to look at."""
    return "&#" in text or "%20" in text or _holds_wide_letters(text) or _RUN in _shape(text.encode("ascii", "replace"))


def decoded(text: str, limit: int) -> Iterator[str]:
    """What `text` holds in base64, hexadecimal digits, percent signs, character references or full-width letters.

    Only the first 16 long words are decoded, and 4096 characters of each; of the other encodings the first `limit`
    characters. What is no text is left out.
    """
    head = text[: max(limit, 0)]
    if "&#" in head:
        yield unescape(_LONG_REFERENCE.sub(_shortened, head))
    if "%20" in head:
        yield unquote(head)
    if _holds_wide_letters(head):
        yield head.translate(_FULL_WIDTH)
    raw = text.encode("ascii", "replace")
    shape = _shape(raw)
    start = shape.find(_RUN)
    for _ in range(_MAX_RUNS):
        if start < 0:
            return
        end = shape.find(b" ", start)
        end = len(raw) if end < 0 else end
        yield from _readings(raw[start : min(end, start + _MAX_LENGTH)])
        start = shape.find(_RUN, end)


def _shortened(reference: re.Match[str]) -> str:
    return f"&#{reference[1].lstrip('0')[:8] or '0'}"


def _shape(raw: bytes) -> bytes:
    return raw.translate(_SHAPE)


def _holds_wide_letters(text: str) -> bool:
    return not text.isascii() and ("\uff45" in text or "\uff25" in text)


def _readings(word: bytes) -> Iterator[str]:
    if word.isalnum() and len(word) % 2 == 0 and not word.translate(None, _HEX):
        yield from _text(bytes.fromhex(word.decode()))
    elif _looks_encoded(word):
        standard = word.translate(_STANDARD)
        for offset in range(4):  # a path or another prefix may stand before it
            yield from _text(_from_base64(standard[offset:]))


def _looks_encoded(word: bytes) -> bool:
    """Encoded text is in both cases, and hardly ever holds what addresses, rulers and identifiers are full of."""
    marks = len(word) - len(word.translate(None, b"+/-_"))
    return marks * 8 <= len(word) and word.lower() != word != word.upper()


def _from_base64(part: bytes) -> bytes:
    whole = part[: len(part) // 4 * 4] if len(part) % 4 == 1 else part + b"=" * (-len(part) % 4)
    return binascii.a2b_base64(whole)


def _text(data: bytes) -> Iterator[str]:
    if (len(data) - len(data.translate(None, _CONTROLS))) * 25 <= len(data):
        yield data.decode("utf-8", "ignore")
