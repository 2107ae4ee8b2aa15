"""Question, answer, claims and chunks, with what supports and what contradicts marked in the text."""

from alerts.evidence.layout import badge, section
from alerts.evidence.marks import Mark, locate, mark
from alerts.evidence.markup import Markup, join, tag
from alerts.findings import chunk_name
from alerts.redaction import shorten
from evaluators.evaluation import Assessment
from evaluators.facets import ClaimVerdict, Support
from evaluators.sample import Chunk, Place, RagSample, Suspicion

MAX_SHOWN = 50_000
"""Characters shown of a text: a page must open on any device."""

MAX_CHUNKS = 50
SHORT = 1500
"""A chunk up to this long is shown unfolded even where no claim refers to it."""

_URGENCY = (Support.CONTRADICTED, Support.NOT_IN_CONTEXT, Support.SUPPORTED)


def question_and_answer(lead: Assessment) -> Markup:
    """Two cards; claims are marked in the answer where it holds them word for word."""
    sample, answer = lead.sample, (lead.sample.answer or "")[:MAX_SHOWN]
    marks = [
        Mark(*place, claim.support.value, _hint(sample, claim))
        for claim in _claims_of(lead)
        if (place := locate(answer, claim.claim))
    ]
    kinds = dict.fromkeys(claim.support.value for claim in _claims_of(lead))
    legend = tag("p", *(badge(kind) for kind in kinds), cls="legend") if kinds else None
    asked = _suspicions(sample, Place.QUESTION)
    shown = mark((sample.question or "none recorded")[:MAX_SHOWN], _orders(sample.question or "", asked))
    question = section("Question", tag("p", shown, cls="text"), _warning(asked))
    said = _suspicions(sample, Place.ANSWER)
    marks += _orders(answer, said)
    text = tag("p", mark(answer, marks) if answer else "none recorded", cls="text")
    return join(question, section("Answer", text, legend, _warning(said)))


def claims(lead: Assessment) -> Markup | None:
    """Every claim with its chunk and quote, the contradicted ones first."""
    ordered = sorted(_claims_of(lead), key=lambda claim: _URGENCY.index(claim.support))
    if not ordered:
        return None
    return section("Claims of the answer", tag("ol", *(_claim(lead.sample, claim) for claim in ordered), cls="claims"))


def _claim(sample: RagSample, claim: ClaimVerdict) -> Markup:
    conflict = claim.conflict
    said = f"{conflict.kind}: {conflict.claimed} in the answer, {conflict.found} in the chunk" if conflict else ""
    name = chunk_name(sample, claim.chunk)
    source = tag("a", f"chunk {name}", href=f"#chunk-{(claim.chunk or 0) + 1}") if name else None
    return tag(
        "li",
        join(badge(claim.support.value), " ", source, tag("span", f" {said}", cls="soft") if said else None),
        tag("p", claim.claim, cls="text"),
        tag("p", f"“{claim.quote}”", cls="text soft") if claim.quote else None,
    )


def chunks(lead: Assessment) -> Markup:
    """Every chunk in the order the model saw them, with the quotes marked."""
    context = lead.sample.context
    shown = [_chunk(lead, position, chunk) for position, chunk in enumerate(context[:MAX_CHUNKS])]
    if not shown:
        return section("Retrieved chunks", tag("p", "none with readable text", cls="soft"))
    more = len(context) - len(shown)
    return section(
        f"Retrieved chunks ({len(context)})", *shown, tag("p", f"and {more} more", cls="soft") if more else None
    )


def _chunk(lead: Assessment, position: int, chunk: Chunk) -> Markup:
    content = (chunk.text or "")[:MAX_SHOWN]
    claims = [claim for claim in _claims_of(lead) if claim.chunk == position]
    marks = [
        Mark(*place, claim.support.value, f"{claim.support.value.replace('_', ' ')}: {shorten(claim.claim, 200)}")
        for claim in claims
        if claim.quote and (place := locate(content, claim.quote))
    ]
    contradicts = any(claim.support is Support.CONTRADICTED for claim in claims)
    suspicions = _suspicions(lead.sample, Place.CHUNK, position)
    marks += _orders(content, suspicions)
    title = join(
        tag("b", chunk_name(lead.sample, position)),
        tag("span", f" · {_chunk_facts(lead, position, chunk)}", cls="soft"),
        join(" ", badge("contradicts the answer", "bad")) if contradicts else None,
        join(" ", badge("suspected injection", "bad")) if suspicions else None,
    )
    return tag(
        "details",
        tag("summary", title),
        tag("p", mark(content, marks), cls="text"),
        _warning(suspicions),
        cls="chunk contradicts" if contradicts or suspicions else "chunk",
        id=f"chunk-{position + 1}",
        open="" if claims or suspicions or len(content) < SHORT else None,
    )


def _chunk_facts(lead: Assessment, position: int, chunk: Chunk) -> str:
    relevance = lead.answers.chunk_relevance
    facts = [f"rank {position + 1}"]
    if relevance and position < len(relevance.scores):
        facts.append(f"relevance {relevance.scores[position]:.2f}")
    if chunk.score is not None:
        facts.append(f"retriever's score {chunk.score:.3g}")
    if chunk.source and chunk.id:
        facts.append(chunk.source)
    if chunk.truncated:
        facts.append("truncated")
    return " · ".join(facts)


def _suspicions(sample: RagSample, place: Place, chunk: int | None = None) -> list[Suspicion]:
    return [one for one in sample.suspicions if one.place is place and one.chunk == chunk]


def _orders(content: str, suspicions: list[Suspicion]) -> list[Mark]:
    """Marks of the words that give orders, where they stand there as they are."""
    places = (locate(content, one.excerpt) for one in suspicions)
    return [Mark(*place, "injection", "gives orders to a model") for place in places if place]


def _warning(suspicions: list[Suspicion]) -> Markup | None:
    """What was found, decoded: the text itself may not show it."""
    if not suspicions:
        return None
    words = "; ".join(f"“{shorten(one.excerpt, 200)}”" for one in suspicions)
    return tag("p", badge("suspected injection", "bad"), f" gives orders to a model: {words}", cls="soft")


def _claims_of(lead: Assessment) -> tuple[ClaimVerdict, ...]:
    return lead.answers.claim_support.claims if lead.answers.claim_support else ()


def _hint(sample: RagSample, claim: ClaimVerdict) -> str:
    name = chunk_name(sample, claim.chunk)
    where = f" · chunk {name}" if name else ""
    quote = f": “{shorten(claim.quote, 200)}”" if claim.quote else ""
    return f"{claim.support.value.replace('_', ' ')}{where}{quote}"
