"""Recognition: a span that contains one of the marker byte strings is ours to keep, any other is not even decoded."""

from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import contains

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from evaluators.errors import PermanentError

# aho-corasick searches this many patterns with SIMD; with more it falls back to an automaton, 30 times slower.
_PATTERNS_PER_PASS = 16


class Markers:
    """A set of byte strings, looked for all at once."""

    def __init__(self, markers: Iterable[bytes]) -> None:
        unique = sorted(set(markers))
        if not unique or not all(unique):
            raise PermanentError("markers: at least one is needed, and none may be empty")
        groups = [unique[at : at + _PATTERNS_PER_PASS] for at in range(0, len(unique), _PATTERNS_PER_PASS)]
        self._passes = [(group, BytesAhoCorasick(group, matchkind=MatchKind.LeftmostFirst)) for group in groups]
        self._recent = unique[0]

    def occur_in(self, data: bytes) -> bool:
        """Whether `data` holds a marker."""
        for group, search in self._passes:
            if found := search.find_matches_as_indexes(data):
                self._recent = group[found[0][0]]
                return True
        return False

    def split(self, spans: Sequence[bytes]) -> tuple[Sequence[bytes], Sequence[bytes]]:
        """Divide the serialized spans of one scope (at least one) into those with a marker and those without.

        An instrumentation library has a scope of its own: most scopes hold no marker at all, and the spans of the
        others tend to hold the marker that was found last, early in their bytes.
        """
        recent = self._recent
        if all(map(contains, spans, repeat(recent))):
            return spans, ()
        if recent not in spans[0] and not self.occur_in(b"".join(spans)):
            return (), spans
        marked: list[bytes] = []
        unmarked: list[bytes] = []
        for span in spans:
            (marked if recent in span or self.occur_in(span) else unmarked).append(span)
        return marked, unmarked
