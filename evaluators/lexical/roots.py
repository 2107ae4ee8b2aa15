"""Roots: the beginning that related words mostly share, where their stems differ."""

from collections.abc import Iterable

_LETTERS = 5
_SYLLABLES = 2
_CACHED = 60_000


class _Roots(dict[str, str]):
    """Roots of terms, remembered; bounded by starting over."""

    def __missing__(self, term: str) -> str:
        if len(self) >= _CACHED:
            self.clear()
        found = self[term] = term[: _SYLLABLES if "가" <= term[0] <= "힣" else _LETTERS]
        return found


_roots = _Roots()


def root_of(term: str) -> str:
    """The first five letters, or two Hangul syllables."""
    return _roots[term]


def roots_of(terms: Iterable[str]) -> frozenset[str]:
    """The roots of many terms."""
    return frozenset(map(_roots.__getitem__, terms))
