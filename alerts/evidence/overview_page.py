"""The page of recent traces: what was judged, what was not, and why."""

from collections.abc import Sequence
from urllib.parse import quote

from alerts.evidence.layout import badge, failure_badge, page, section, when
from alerts.evidence.markup import Markup, join, tag
from alerts.evidence.reading import failures, headline, leading, outcome_text, tone
from alerts.redaction import shorten
from alerts.store import TraceRecord

_NONE_YET = "None yet. Point an exporter here and ask your application something."
_WORDS = {"bad": "contradicted", "warn": "doubtful", "good": "good", "": "not scored"}


def overview_page(records: Sequence[TraceRecord], service: str | None) -> str:
    """The document."""
    crumb = join(tag("b", service), tag("a", "all services", href="/traces")) if service else None
    if not records:
        none = "No trace of this service was seen." if service else _NONE_YET
        return page("recent traces", crumb, section("Recent traces", tag("p", none)))
    head = tag("tr", *(tag("th", name) for name in ("Time", "Service", "Verdict", "Scores")))
    table = tag("table", head, *(_row(record) for record in records))
    return page("recent traces", crumb, section(f"Recent traces ({len(records)})", table))


def _row(record: TraceRecord) -> Markup:
    service = tag("a", record.service, href=f"/traces?service={quote(record.service.encode('utf-8', 'replace'))}")
    return tag("tr", tag("td", when(record.at), cls="num"), tag("td", service), *_verdict(record))


def _verdict(record: TraceRecord) -> tuple[Markup, Markup]:
    href, lead = f"/traces/{record.trace_id}", leading(record)
    if lead is None:
        last = record.decisions[-1]
        why = tag("a", shorten(last.reason or "no reason recorded", 160), href=href)
        return tag("td", badge(last.decision, "soft"), " ", why, cls="said"), tag("td")
    said = tag("a", shorten(headline(lead), 160), href=href)
    scores = ", ".join(f"{one.metric.replace('_', ' ')} {outcome_text(one)}" for one in lead.evaluations)
    failed = (join(" ", failure_badge(*one)) for one in failures(record).items() if one[0] != lead.judge)
    verdict = tag("td", badge(_WORDS[tone(lead)], tone(lead) or "soft"), " ", said, *failed, cls="said")
    return verdict, tag("td", scores, cls="soft")
