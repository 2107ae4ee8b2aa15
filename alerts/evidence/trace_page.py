"""The page of one trace: what is wrong, where it says so, and where it says otherwise."""

from collections.abc import Iterable
from urllib.parse import quote

from alerts.evidence.layout import badge, failure_badge, page, section, when
from alerts.evidence.marks import Mark, locate, mark
from alerts.evidence.markup import Markup, join, tag
from alerts.evidence.passages import chunks, claims, question_and_answer
from alerts.evidence.reading import failures, headline, is_bad, leading, outcome_text, tone
from alerts.explain import MEANING
from alerts.findings import chunk_name, failing_claim
from alerts.redaction import shorten
from alerts.store import TraceRecord
from evaluators.duration import format_duration
from evaluators.evaluation import Assessment, Evaluation, Scored
from evaluators.metrics import METRICS, Metric


def trace_page(record: TraceRecord, trace_url: str = "", judge: str = "") -> str:
    """The document; `judge` chooses whose verdict leads, `trace_url` is the trace backend's page."""
    crumb = tag("span", record.trace_id, cls="id")
    lead = leading(record, judge)
    if lead is None:
        return page(record.trace_id, crumb, _unjudged(record), _decisions(record), _facts(record, None, trace_url))
    return page(
        f"{lead.sample.service}: {shorten(headline(lead), 80)}",
        crumb,
        _verdict(record, lead),
        question_and_answer(lead),
        claims(lead),
        chunks(lead),
        _scores(lead),
        _decisions(record),
        _facts(record, lead, trace_url),
    )


def _verdict(record: TraceRecord, lead: Assessment) -> Markup:
    meaning = MEANING.get(lead.diagnosis)
    diagnosis = (
        tag("p", tag("b", f"Diagnosis: {lead.diagnosis.replace('_', ' ')}"), f" — {meaning}") if meaning else None
    )
    others = [_other(name, failures(record).get(name)) for name in record.assessments if name != lead.judge]
    judges = [" · also judged by ", *_separated(others, ", ")] if others else []
    kicker = tag(
        "p", tag("b", lead.sample.service), f" · {when(record.at)} · judge {lead.judge}", *judges, cls="kicker"
    )
    return tag(
        "section", kicker, tag("h1", headline(lead)), diagnosis, _versus(lead), cls=f"verdict {tone(lead)}".strip()
    )


def _other(judge: str, failure: str | None) -> Markup:
    link = tag("a", judge, href=f"?judge={quote(judge)}")
    return join(link, " ", failure_badge(judge, failure)) if failure else link


def _versus(lead: Assessment) -> Markup | None:
    claim = failing_claim(lead)
    if claim is None or not claim.quote:
        return None
    name = chunk_name(lead.sample, claim.chunk)
    claimed, found = (claim.conflict.claimed, claim.conflict.found) if claim.conflict else ("", "")
    says = tag("div", tag("h3", "The answer says"), tag("p", _pointing(claim.claim, claimed), cls="text"), cls="claim")
    source = tag("a", f"Chunk {name} says", href=f"#chunk-{(claim.chunk or 0) + 1}")
    quote = tag("div", tag("h3", source), tag("p", _pointing(claim.quote, found), cls="text"), cls="source")
    return tag("div", says, quote, cls="versus")


def _scores(lead: Assessment) -> Markup:
    return section("Scores", tag("div", *(_score(evaluation) for evaluation in lead.evaluations), cls="scores"))


def _score(evaluation: Evaluation) -> Markup:
    name, metric = evaluation.metric.replace("_", " "), METRICS.get(evaluation.metric)
    if not isinstance(evaluation.outcome, Scored):
        return tag("div", tag("div", name), badge(outcome_text(evaluation), "soft"), cls="score")
    value = evaluation.outcome.value
    aim = f"{'at least' if metric.higher_is_better else 'at most'} {metric.threshold:g}" if metric else ""
    meter = tag("meter", f"{value:.2f}", min=0, max=1, value=f"{value:.4f}", **_regions(metric))
    return tag(
        "div",
        tag("div", name),
        tag("b", f"{value:.2f}"),
        tag("span", f" {aim}", cls="soft"),
        meter,
        cls=f"score {'bad' if is_bad(evaluation) else 'good'}",
    )


def _regions(metric: Metric | None) -> dict[str, float]:
    """Which side of the threshold a browser paints green."""
    if metric is None:
        return {}
    return {"low": metric.threshold, "high": metric.threshold, "optimum": float(metric.higher_is_better)}


def _pointing(content: str, part: str) -> Markup:
    place = locate(content, part)
    return mark(content, [Mark(*place, "hit")] if place else [])


def _unjudged(record: TraceRecord) -> Markup:
    last = record.decisions[-1] if record.decisions else None
    why = f"{last.decision.replace('_', ' ')}: {last.reason}" if last else "no verdict yet"
    return tag(
        "section",
        tag("p", tag("b", record.service), f" · {when(record.at)}", cls="kicker"),
        tag("h1", f"Not judged: {why}"),
        cls="verdict",
    )


def _decisions(record: TraceRecord) -> Markup | None:
    if not record.decisions:
        return None
    rows = (
        tag("tr", tag("td", when(one.at), cls="num"), tag("td", one.decision.replace("_", " ")), tag("td", one.reason))
        for one in record.decisions
    )
    return section("Why it was judged, or not", tag("table", *rows))


def _facts(record: TraceRecord, lead: Assessment | None, trace_url: str) -> Markup:
    facts: dict[str, object] = {"Trace": tag("code", record.trace_id)}
    if trace_url:
        facts["Trace backend"] = tag("a", trace_url, href=trace_url, rel="noreferrer")
    if lead:
        facts |= _verdict_facts(lead)
    facts["As JSON"] = tag("a", f"/traces/{record.trace_id}?format=json", href="?format=json")
    rows = (tag("tr", tag("th", name), tag("td", value)) for name, value in facts.items() if value)
    return section("Facts", tag("table", *rows))


def _verdict_facts(lead: Assessment) -> dict[str, object]:
    sample = lead.sample
    took = "from the cache" if lead.cached else f"{format_duration(max(lead.age_s, 0.001))} after the trace was closed"
    return {
        "Judge": f"{lead.judge}: {lead.identity}",
        "Verdict": took + (f", replaces {sample.revision} earlier" if sample.revision else ""),
        "Read by": ", ".join(sample.dialects),
        "Complete": "no, the transport lost or cut a part of it" if sample.incomplete else "yes",
        "Session": sample.session or "",
        "Attributes": ", ".join(f"{key}={value}" for key, value in sorted(sample.attributes.items())),
    }


def _separated(parts: Iterable[object], separator: str) -> list[object]:
    return [piece for part in parts for piece in (separator, part)][1:]
