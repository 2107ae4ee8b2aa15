"""Label values: cleaned, cut and capped, because one hostile value must not break or swell a scrape."""

from typing import Generic, Protocol, TypeVar

from prometheus_client import Counter, Gauge, Histogram

OTHER = "__other__"
"""Stands for all values beyond the limit."""

MAX_LENGTH = 128

_AROUND = 40
_ORDINARY = 85
"""Bytes of a series beside its label values, at least, and of one with values of ordinary length."""

Child = TypeVar("Child", Counter, Gauge, Histogram)


def clean_label(raw: str, limit: int = MAX_LENGTH) -> str:
    """`raw` in at most `limit` printable characters.

    A lone surrogate makes the whole scrape unencodable, control characters forge log lines and bidirectional marks
    mislead the reader: each becomes U+FFFD.
    """
    cut = raw[:limit]
    return (
        cut
        if cut.isprintable()
        else "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in cut)
    )


class Overflowing(Protocol):
    """Whatever is bounded and counts what went over its limit."""

    @property
    def overflows(self) -> int: ...


class LabelValues:
    """The values that one label may take: the first `limit` different ones, the rest is `__other__`.

    `overflows` counts the values that were replaced.
    """

    def __init__(self, limit: int) -> None:
        self.overflows = 0
        self._limit = limit
        self._known: set[str] = {OTHER}

    def __call__(self, raw: str) -> str:
        """The value to use for `raw`."""
        if raw in self._known:
            return raw
        value = clean_label(raw)
        if value in self._known:
            return value
        if len(self._known) > self._limit:
            self.overflows += 1
            return OTHER
        self._known.add(value)
        return value


class Family(Generic[Child]):
    """A metric with its guarded labels. Children are cached: the library's own lookup costs ten times as much.

    Labels multiply: past `limit` series of ordinary size, or fewer of larger size, the label at `spill` becomes
    `__other__` in those that are new. `overflows` counts how often that was asked for.
    """

    def __init__(self, metric: Child, labels: tuple[LabelValues, ...], limit: int, spill: int | None) -> None:
        self.overflows = 0
        self._metric: Child = metric
        self._labels = labels
        self._room = limit * _ORDINARY
        self._spill = spill
        self._children: dict[tuple[str, ...], Child] = {}

    def __call__(self, *raw: str) -> Child:
        """The series for these label values, in the order of the labels."""
        return self._children.get(raw) or self._admit(raw)

    def remove(self, *raw: str) -> None:
        """Stop exposing a series."""
        values = self._values(raw)
        if self._children.pop(values, None) is not None:
            self._room += line_size(values)
            self._metric.remove(*values)

    def _values(self, raw: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([label(value) for label, value in zip(self._labels, raw, strict=True)])

    def _admit(self, raw: tuple[str, ...]) -> Child:
        # Cached under the cleaned values only: raw ones are the sender's, and without number.
        values = self._values(raw)
        child = self._children.get(values)
        if child is None and self._spill is not None and self._room < line_size(values):
            self.overflows += 1
            values = _with_other(values, self._spill)
            child = self._children.get(values)
        if child is None:
            child = self._children[values] = self._metric.labels(*values) if values else self._metric
            self._room -= line_size(values)
        return child


def _with_other(values: tuple[str, ...], at: int) -> tuple[str, ...]:
    return (*values[:at], OTHER, *values[at + 1 :])


def line_size(values: tuple[str, ...]) -> int:
    """Bytes of a line in a scrape: a character takes up to four, a quote or backslash two."""
    return _AROUND + sum(len(value.encode()) + value.count('"') + value.count("\\") for value in values)
