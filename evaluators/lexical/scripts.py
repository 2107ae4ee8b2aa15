"""Scripts: which characters write words without spaces, which digits mean the same, which marks belong to a letter."""

import re

# Decimal digits of other scripts, by the code point of their zero, and full-width forms of ASCII.
_ZEROS = (
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x17E0, 0x1810, 0xFF10,
)  # fmt: skip
_FOLDED = {zero + digit: str(digit) for zero in _ZEROS for digit in range(10)}
_FOLDED |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_FOLDED |= {0x2018: "'", 0x2019: "'", 0x02BC: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-", 0x2011: "-", 0x2010: "-"}
_FOLDED |= {0x2212: "-", 0x2014: "\u2014", 0x066B: ".", 0x066C: ",", 0x3000: " ", 0x00A0: " ", 0x202F: " ", 0x2009: " "}

# Zero-width and directional characters: invisible, so a reader's words must not depend on them.
INVISIBLE = re.compile(
    r"[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)

# Han, kana, Thai, Lao, Myanmar, Khmer: words are not separated.
UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0970-\u0dff"
HAS_UNSPACED = re.compile(f"[{UNSPACED}]")
PIECE = re.compile(
    rf"(?P<run>[{UNSPACED}]+)|(?P<number>\d+(?:[.,:]\d+)*)|(?P<word>(?:[^\W\d_{UNSPACED}]|[{_MARKS}])(?:[^\W_{UNSPACED}]|[{_MARKS}])*)"
)


def visible(text: str) -> str:
    """Without invisible characters."""
    return text if text.isascii() else INVISIBLE.sub("", text)


def fold(text: str) -> str:
    """Lower case, ASCII digits and plain quotes; every character keeps its position."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lowered if lowered.isascii() else lowered.translate(_FOLDED)
