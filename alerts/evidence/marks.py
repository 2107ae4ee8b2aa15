"""Finding claims and quotes in a text, and showing the text with them marked."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from alerts.evidence.markup import Markup, join, tag

_MAX_WORDS = 400


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a text, its class, and what it shows when pointed at."""

    start: int
    end: int
    kind: str
    hint: str = ""


def locate(haystack: str, needle: str) -> tuple[int, int] | None:
    """Where `needle` stands, whatever the white space between its words and the case; None where it does not."""
    words = needle.split()
    if not words or len(words) > _MAX_WORDS:
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), haystack, re.IGNORECASE)
    return match.span() if match else None


def mark(content: str, marks: Iterable[Mark]) -> Markup:
    """The text with its marks; where two overlap the one that begins first is shown, in full."""
    parts: list[object] = []
    at = 0
    for one in sorted(marks, key=lambda m: (m.start, -m.end)):
        if one.start < at:
            continue
        parts += [
            content[at : one.start],
            tag("mark", content[one.start : one.end], cls=one.kind, title=one.hint or None),
        ]
        at = one.end
    return join(*parts, content[at:])
