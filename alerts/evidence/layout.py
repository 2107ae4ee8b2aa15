"""The frame of every page."""

from datetime import UTC, datetime

from alerts.evidence.markup import Markup, join, tag
from alerts.evidence.style import STYLE


def page(title: str, crumb: object, *sections: object) -> str:
    """A complete document without scripts and without anything from elsewhere."""
    head = join(
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", f"{title} · groundwatch"),
        Markup(f"<style>{STYLE}</style>"),
    )
    bar = tag("header", tag("strong", "groundwatch"), tag("a", "recent traces", href="/traces"), crumb, cls="bar")
    body = tag("body", bar, tag("main", *sections))
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>{body}</html>\n'


def section(title: str, *children: object, cls: str | None = None) -> Markup:
    """A card with a heading."""
    return tag("section", tag("h2", title), *children, cls=cls)


def badge(label: str, kind: str | None = None) -> Markup:
    """A word in a pill; the word says it, the colour helps."""
    return tag("span", label.replace("_", " "), cls=f"badge {kind or label}")


def failure_badge(judge: str, reason: str) -> Markup:
    """Which judge gave no score, and why."""
    return tag("span", f"{judge}: {reason}", cls="badge failed")


def when(epoch: float) -> str:
    """A time in UTC, to the second."""
    return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
