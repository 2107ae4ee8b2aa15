"""The attribute length limit of the sender's SDK (OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT), told from what it cut."""

from collections.abc import Iterable

from collector.conventions.tree import Node

_SHORTEST_LIMIT = 16


def length_limit(nodes: Iterable[Node]) -> int | None:
    """The length at which values of the trace were cut; None where nothing points to a limit.

    A cut text looks like any other. But that two different values are the longest of a trace and of the same length
    does not happen by chance.
    """
    longest = _SHORTEST_LIMIT
    cut: set[str] = set()
    for node in nodes:
        reading = node.reading
        for value in (reading.input, reading.output):
            if isinstance(value, str) and len(value) >= longest:
                cut = cut if len(value) == longest else set()
                longest = len(value)
                cut.add(value)
    return longest if len(cut) > 1 else None
