"""All tracks: which rule watches which service, judge and slice."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from alerts.holding import JudgeTime, Running, Watchable
from alerts.rules.base import RuleSettings
from alerts.slices import WHOLE, Slice, rest_of, slice_of
from alerts.track import Track
from evaluators.statistics import benjamini_hochberg


class TrackKey(NamedTuple):
    """What a track is found by."""

    rule: str
    service: str
    judge: str
    slice: Slice = WHOLE


Expect = Callable[[str, str, str], None]
"""Told of each new track: rule, service and severity."""


class Tracks:
    """Makes tracks as they are needed. Bounded by the services, the judges, and the slices of each rule."""

    def __init__(self, rules: Sequence[RuleSettings], time: JudgeTime, expect: Expect) -> None:
        self._rules = rules
        self._time = time
        self._expect = expect
        self._matching: dict[tuple[str, str, str], tuple[RuleSettings, ...]] = {}
        self._unsliced: dict[tuple[str, str, str], tuple[Track, ...]] = {}
        self._tracks: dict[TrackKey, Track] = {}
        self._siblings: dict[TrackKey, dict[Slice, Track]] = {}
        self.overflows = 0

    def __iter__(self) -> Iterator[Track]:
        return iter(tuple(self._tracks.values()))

    def __len__(self) -> int:
        return len(self._tracks)

    def watching(self, key: str, service: str, judge: str, attributes: Mapping[str, str]) -> Iterable[Track]:
        """The tracks that want an observation of this key."""
        return self._unsliced.get((key, service, judge)) or self._find((key, service, judge), attributes)

    def _find(self, place: tuple[str, str, str], attributes: Mapping[str, str]) -> tuple[Track, ...]:
        key, service, judge = place
        rules = self._matching.get(place)
        if rules is None:
            rules = tuple(rule for rule in self._rules if rule.observes == key and rule.matches(service, judge))
            self._matching[place] = rules
        tracks = tuple(
            self.get(rule, service, judge if rule.per_judge else "", slice_of(attributes, rule.slice)) for rule in rules
        )
        if not any(rule.slice for rule in rules):
            self._unsliced[place] = tracks
        return tracks

    def get(self, rule: RuleSettings, service: str, judge: str, part: Slice = WHOLE) -> Track:
        """The track; a new one if need be. Slices past the rule's limit share one."""
        track = self._tracks.get(TrackKey(rule.name, service, judge, part))
        return track or self._admit(rule, service, judge, part)

    def forget(self, track: Track) -> None:
        """Remove a track; its slice makes room for another."""
        self._unsliced.clear()
        key = TrackKey(track.rule.name, track.service, track.judge)
        del self._tracks[key._replace(slice=track.slice)]
        if siblings := self._siblings.get(key):
            siblings.pop(track.slice, None)

    def compare_slices(self) -> None:
        """Of many slices tested at once some look bad by chance: doubt those that the correction does not confirm."""
        for siblings in self._siblings.values():
            tested = [track for track in siblings.values() if track.reading.p is not None]
            if not tested:
                continue
            chances = [track.reading.p or 0.0 for track in tested]
            level = tested[0].rule.level
            for track, found in zip(tested, benjamini_hochberg(chances, level), strict=True):
                track.doubted = len(tested) > 1 and not found

    def _admit(self, rule: RuleSettings, service: str, judge: str, part: Slice) -> Track:
        key = TrackKey(rule.name, service, judge)
        siblings = self._siblings.setdefault(key, {}) if rule.slice else {}
        if len(siblings) >= rule.max_slices:
            self.overflows += 1
            part = rest_of(rule.slice)
        existing = self._tracks.get(key._replace(slice=part))
        if existing is not None:
            return existing
        time: Watchable = self._time.of(judge or rule.judge or "") if rule.holds else Running()
        track = self._tracks[key._replace(slice=part)] = Track(rule, service, judge, time, part)
        if part:
            siblings[part] = track
        self._expect(rule.name, service, rule.severity)
        return track
