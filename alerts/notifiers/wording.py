"""A group of signals in words, for receivers that people read. Pure."""

from collections.abc import Sequence

from alerts.counted import counted
from alerts.redaction import shorten
from alerts.signals import Signal, SignalState, is_link

SHOWN = 10
"""Alerts of a group that are told one by one; the others are counted."""


def is_over(signals: Sequence[Signal]) -> bool:
    """Whether nothing of the group goes on."""
    return all(signal.state is SignalState.RESOLVED for signal in signals)


def title_of(signals: Sequence[Signal], limit: int) -> str:
    """One line: what is wrong, and of how many alerts it is the first."""
    first = signals[0]
    state = "resolved" if is_over(signals) else first.severity.value
    others = f" (and {len(signals) - 1} more)" if len(signals) > 1 else ""
    room = limit - len(others) - len(state) - 3
    return f"[{state}] {shorten(first.summary, room)}{others}"


def rest_of(signals: Sequence[Signal]) -> str:
    """How many alerts are not told one by one; empty where all are."""
    left = len(signals) - SHOWN
    return f"and {counted(left, 'more alert')} of this group" if left > 0 else ""


def lines_of(signal: Signal) -> list[str]:
    """An alert in a few lines, without links."""
    state = "resolved: " if signal.state is SignalState.RESOLVED else ""
    lines = [state + signal.summary]
    worst = signal.traces[0].finding if signal.traces else None
    if worst and worst.claim:
        lines.append(f'Answer: "{worst.claim}"')
    if worst and worst.quote:
        lines.append(f'Chunk {worst.chunk}: "{worst.quote}"')
    if worst and worst.excerpt:
        lines.append(f'In the {worst.place}: "{worst.excerpt}"')
    if changed := signal.what_changed:
        lines.append(f"Changed: {changed}")
    if signal.runbook and not is_link(signal.runbook):
        lines.append(f"Runbook: {signal.runbook}")
    return lines


def links_of(signal: Signal) -> list[tuple[str, str]]:
    """Address and name of what to open, most useful first."""
    found = [(signal.url, "evidence")]
    found += [(cited.trace_url, f"trace {n}") for n, cited in enumerate(signal.traces, 1) if cited.trace_url]
    found.append((signal.runbook, "runbook"))
    return [(address, name) for address, name in found if is_link(address)]


def text_of(signals: Sequence[Signal], limit: int) -> str:
    """The group as plain text."""
    parts = []
    for signal in signals[:SHOWN]:
        links = [f"{name}: {address}" for address, name in links_of(signal)]
        parts.append("\n".join([*lines_of(signal), *links]))
    text = "\n\n".join([*parts, *filter(None, [rest_of(signals)])])
    return text if len(text) <= limit else text[: limit - 20] + "\n(shortened)"
