"""Recognition: a span that contains one of the marker byte strings is ours to keep, any other is not even decoded."""

from collections.abc import Iterable

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from collector.envelope import Bounds
from evaluators.errors import PermanentError

# aho-corasick searches this many patterns with SIMD; with more it falls back to an automaton, 30 times slower.
_PATTERNS_PER_PASS = 16
_SOON_BYTES = 4096


class Markers:
    """A set of byte strings, looked for all at once."""

    def __init__(self, markers: Iterable[bytes]) -> None:
        unique = sorted(set(markers))
        if not unique or not all(unique):
            raise PermanentError("markers: at least one is needed, and none may be empty")
        groups = [unique[at : at + _PATTERNS_PER_PASS] for at in range(0, len(unique), _PATTERNS_PER_PASS)]
        self._passes = [(group, BytesAhoCorasick(group, matchkind=MatchKind.LeftmostFirst)) for group in groups]
        self._recent = unique[0]

    def occur_in(self, data: bytes | memoryview) -> bool:
        """Whether `data` holds a marker."""
        for group, search in self._passes:
            if found := search.find_matches_as_indexes(data):
                self._recent = group[found[0][0]]
                return True
        return False

    def occur_in_scope(self, body: bytes, at: int, end: int) -> bool:
        """The same for the spans of one scope, which tend to hold the marker that was found last, and soon."""
        return body.find(self._recent, at, min(end, at + _SOON_BYTES)) >= 0 or self.occur_in(memoryview(body)[at:end])

    def split(self, body: bytes, spans: list[Bounds]) -> tuple[list[Bounds], list[Bounds]]:
        """Divide spans into those with a marker and those without."""
        recent, find = self._recent, body.find
        quick = [bounds for bounds in spans if find(recent, bounds[1], bounds[2]) >= 0]
        if len(quick) == len(spans):
            return spans, []
        found, view = set(quick), memoryview(body)
        found.update(bounds for bounds in spans if bounds not in found and self.occur_in(view[bounds[1] : bounds[2]]))
        return [bounds for bounds in spans if bounds in found], [bounds for bounds in spans if bounds not in found]
