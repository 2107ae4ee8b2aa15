"""From an alert's numbers and findings to the words of its signal. Pure.

Nothing of a trace is ever used as a template: texts are put in as they are, once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote

from alerts.findings import Finding
from alerts.mix import Change
from alerts.redaction import presentable
from alerts.rules.base import Case, RuleSettings
from alerts.rules.defaults import DEFAULT_RULES
from alerts.signals import Cited
from evaluators.evaluation import Diagnosis
from evaluators.sample import Place

TEXT_LIMIT = 300
_NAME_LIMIT = 128
_LEAD_LIMIT = 120

_BUILT_IN = frozenset(rule.name for rule in DEFAULT_RULES)

Content = Literal["full", "ids"]

MEANING = {
    Diagnosis.RETRIEVAL: "the retrieved chunks do not fit the question",
    Diagnosis.RANKING: "useful chunks are ranked behind useless ones",
    Diagnosis.GENERATION: "the chunks fit the question, the answer does not keep to them",
    Diagnosis.BOTH: "the chunks do not fit the question, and the answer does not keep to the chunks",
    Diagnosis.OVER_REFUSAL: "the model declined although the chunks fit the question",
}


@dataclass(frozen=True, slots=True)
class Links:
    """`base_url` is where people reach this monitor; `trace_url` is the trace backend's, with {trace_id} in it;
    `runbook_url` says what to do, with {rule} in it."""

    base_url: str
    trace_url: str = ""
    runbook_url: str = ""

    def runbook(self, rule: RuleSettings) -> str:
        """What to do when this rule fires: an address, or for a built-in rule a path in this repository.

        Empty where nobody wrote it.
        """
        if rule.runbook or self.runbook_url:
            return rule.runbook or self.runbook_url.replace("{rule}", rule.name)
        return f"deploy/docs/runbooks/{rule.name}.md" if rule.name in _BUILT_IN else ""

    def cite(self, finding: Finding, content: Content) -> Cited:
        """The finding as it may travel, with its links."""
        trace_id = quote(finding.trace_id, safe="")
        return Cited(
            finding=show(finding, content),
            evidence_url=f"{self.base_url.rstrip('/')}/traces/{trace_id}",
            trace_url=self.trace_url.replace("{trace_id}", trace_id),
        )

    def overview(self, service: str) -> str:
        """Where the latest verdicts of a service are."""
        return f"{self.base_url.rstrip('/')}/traces" + (f"?service={quote(service, safe='')}" if service else "")


def show(finding: Finding, content: Content) -> Finding:
    """Redacted and cut; with `ids` nothing of question, answer and chunks remains but the chunk's id, or its source."""
    text, name = presentable(TEXT_LIMIT), presentable(_NAME_LIMIT)
    if content == "ids":
        return replace(
            finding, question="", claim="", chunk=name(finding.chunk), quote="", claimed="", found="", excerpt=""
        )
    return replace(
        finding,
        question=text(finding.question),
        claim=text(finding.claim),
        chunk=name(finding.chunk),
        quote=text(finding.quote),
        claimed=name(finding.claimed),
        found=name(finding.found),
        excerpt=text(finding.excerpt),
    )


def summarize(rule: RuleSettings, case: Case) -> str:
    """One sentence: what is wrong with which service, by the worst trace and by the numbers."""
    title, numbers = rule.title(case), rule.sentence(case)
    worst = sentence_of(case.finding) if case.finding else ""
    if not worst:
        return f"{title}: {numbers}"
    if not rule.leads_with_finding:
        return f"{title}: {numbers}; worst: {worst}"
    return f"{title}: {worst}" if case.hits <= 1 else f"{title}: {worst} ({numbers})"


def sentence_of(finding: Finding) -> str:
    """What the answer says and what its chunk says instead; empty where no claim is known to have failed."""
    chunk = f"chunk {finding.chunk}" if finding.chunk else "a chunk"
    if finding.place:
        where = chunk if finding.place is Place.CHUNK else f"the {finding.place}"
        return f'{where} says "{_lead(finding.excerpt)}"' if finding.excerpt else f"{where} gives orders to a model"
    if finding.contradicted:
        says, instead = finding.claimed or finding.claim, finding.found or finding.quote
        if not says:
            return f"{chunk} contradicts the answer"
        contradiction = f'says "{_lead(instead)}"' if instead else "contradicts it"
        return f'answer says "{_lead(says)}", {chunk} {contradiction}'
    return f'answer says "{_lead(finding.claim)}", no chunk does' if finding.claim else ""


def describe(rule: RuleSettings, case: Case, changes: Sequence[Change] = ()) -> str:
    """A few sentences for whoever opens the alert."""
    sentences = [f"{rule.title(case)}: {rule.sentence(case)}."]
    if meaning := MEANING.get(Diagnosis(case.cause)) if case.cause in set(Diagnosis) else None:
        sentences.append(f"Diagnosis: {case.cause.replace('_', ' ')}; {meaning}.")
    if changes:
        sentences.append(f"What changed before it: {'; '.join(map(str, changes))}.")
    finding = case.finding
    if finding and finding.claim:
        sentences.append(f'Failing claim: "{finding.claim}".')
    if finding and finding.quote:
        sentences.append(f'Chunk {finding.chunk}: "{finding.quote}".')
    if finding and finding.excerpt:
        sentences.append(f'Words of the {finding.place}: "{finding.excerpt}".')
    return " ".join(sentences)


def _lead(text: str) -> str:
    return presentable(_LEAD_LIMIT)(text)
