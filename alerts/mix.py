"""What the traffic of a service is made of, and how that changed: the first question whenever quality falls."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from alerts.labels import OTHER, clean_label
from alerts.slices import MAX_VALUE, NONE
from evaluators.statistics import difference, wilson

BEFORE_S = 6 * 3600.0
AFTER_MIN_S, AFTER_MAX_S = 900.0, 3600.0
BUCKET_S = 300.0

MIN_N = 20
MIN_CHANGE = 0.1
SHOWN = 3

_MAX_VALUES = 64
"""Different values, of all attributes together, in one bucket; what is more counts as one."""


@dataclass(frozen=True, slots=True)
class Change:
    """The share of traces with this value, in the hours before and since."""

    attribute: str
    value: str
    before: float
    after: float

    def __str__(self) -> str:
        return f"{self.attribute}={self.value} {self.before:.0%} -> {self.after:.0%}"


class Mix:
    """The values of some attributes over the last hours. Times are monotonic and never go back."""

    def __init__(self, attributes: Sequence[str]) -> None:
        self._attributes = attributes
        self._buckets: dict[int, Counter[tuple[str, str]]] = {}

    def add(self, at: float, attributes: Mapping[str, str]) -> None:
        """Count a trace."""
        bucket = int(at // BUCKET_S)
        counts = self._buckets.get(bucket)
        if counts is None:
            counts = self._buckets[bucket] = Counter()
            self._expire(bucket)
        for name in self._attributes:
            key = (name, attributes.get(name) or NONE)
            counts[key if key in counts else _admit(key, counts)] += 1

    def changes(self, now: float, window_s: float) -> tuple[Change, ...]:
        """What differs between the last `window_s` seconds and the hours before, the largest change first.

        Only what chance does not explain: the 95% interval of the difference is above nothing, the difference at least
        a tenth, and there were traces enough on both sides.
        """
        split = int((now - min(max(window_s, AFTER_MIN_S), AFTER_MAX_S)) // BUCKET_S)
        before: Counter[tuple[str, str]] = Counter()
        after: Counter[tuple[str, str]] = Counter()
        for bucket, counts in self._buckets.items():
            (after if bucket > split else before).update(counts)
        found = [change for key in {*before, *after} if (change := _change(key, before, after))]
        found.sort(key=lambda one: (-abs(one.after - one.before), one.before - one.after, one.attribute, one.value))
        return tuple(found[:SHOWN])

    def _expire(self, newest: int) -> None:
        oldest = newest - int((BEFORE_S + AFTER_MAX_S) / BUCKET_S)
        while next(iter(self._buckets)) < oldest:
            del self._buckets[next(iter(self._buckets))]


def _admit(key: tuple[str, str], counts: Counter[tuple[str, str]]) -> tuple[str, str]:
    if len(counts) >= _MAX_VALUES:
        return key[0], OTHER
    return key[0], clean_label(key[1], MAX_VALUE)


def _change(key: tuple[str, str], before: Counter[tuple[str, str]], after: Counter[tuple[str, str]]) -> Change | None:
    name = key[0]
    n_before, n_after = _total(before, name), _total(after, name)
    if min(n_before, n_after) < MIN_N:
        return None
    was, now = wilson(before[key], n_before), wilson(after[key], n_after)
    differs = difference(now, was)
    if abs(differs.value) < MIN_CHANGE or differs.low <= 0.0 <= differs.high:
        return None
    return Change(name, key[1], was.value, now.value)


def _total(counts: Counter[tuple[str, str]], name: str) -> int:
    return sum(count for (attribute, _), count in counts.items() if attribute == name)
