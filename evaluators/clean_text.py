"""Makes untrusted text fit for a prompt or a record."""

import re

_UNSAFE = re.compile(
    # C0 and C1 controls (not tab and newline) and lone surrogates break stores, terminals and JSON.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
    # Invisible: zero width, direction and tag characters hide text from people that a model reads. The joiners
    # U+200C and U+200D stay: Persian, Indic scripts and emoji are spelt with them.
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_PLAIN = bytes((9, 10, *range(32, 127)))
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), 127), " ")


def clean(text: str) -> str:
    """`text` with control characters and lone surrogates as spaces, and without invisible characters."""
    if text.isascii():
        is_plain = not text.encode("ascii").translate(None, _PLAIN)
        return text if is_plain else text.translate(_CONTROLS)
    return _UNSAFE.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    return " " if match[0] < "\u2000" or "\ud800" <= match[0] <= "\udfff" else ""
