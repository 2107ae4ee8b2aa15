"""Token counts as instrumentations write them: a pair of attributes, or of members of an object."""

from collections.abc import Mapping

from collector.attributes import Attributes
from collector.conventions.reading import Tokens
from collector.conventions.values import as_number, decode

MAX_TOKENS = 1 << 31

Keys = tuple[str, str]
"""What holds the input's and the output's count."""


def counted(counts: Attributes | Mapping[str, object], *pairs: Keys) -> Tokens | None:
    """The counts under the first of `pairs` that is there at all; None where they are no counts, or 0."""
    for given, made in pairs:
        if given in counts or made in counts:
            return _told(Tokens(_count(counts.get(given)), _count(counts.get(made))))
    return None


def counted_in(value: object, *pairs: Keys) -> Tokens | None:
    """The counts in an object, as JSON or as it is."""
    counts = decode(value).value
    return counted(counts, *pairs) if isinstance(counts, dict) else None


def summed_in(value: object) -> Tokens | None:
    """The counts in an object that keeps apart what parts of each side took (`input`, `input_cached_tokens` ...)."""
    counts = decode(value).value
    return _told(Tokens(_side(counts, "input", "prompt"), _side(counts, "output", "completion")))


def _side(counts: object, *names: str) -> int:
    parts = counts.items() if isinstance(counts, dict) else ()
    return sum(_count(value) for key, value in parts if any(name in key for name in names))


def _count(value: object) -> int:
    number = as_number(value)
    return int(number) if number is not None and 0 <= number < MAX_TOKENS else 0


def _told(tokens: Tokens) -> Tokens | None:
    return tokens if any(tokens) else None
