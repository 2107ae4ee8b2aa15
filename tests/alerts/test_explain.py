from dataclasses import replace

import pytest

from alerts.explain import Links, describe, sentence_of, show, summarize
from alerts.findings import Finding, WorstTraces, chunk_name, failing_claim
from alerts.rules import (
    BurnRateRule,
    Case,
    Condition,
    CoverageRule,
    EmptyRetrievalRule,
    Reading,
    RuleSettings,
    TraceRule,
    WindowRule,
)
from evaluators.evaluation import Diagnosis
from evaluators.facets import ClaimVerdict, Support
from evaluators.sample import Chunk
from evaluators.statistics import wilson
from tests.samples import sample
from tests.verdicts import CONTRADICTED, SUPPORTED, UNSUPPORTED, assessment

FINDING = Finding.of(assessment(1, SUPPORTED, UNSUPPORTED, CONTRADICTED, diagnosis=Diagnosis.GENERATION), 0.33)


def test_the_failing_claim_is_the_contradicted_one_else_the_least_supported() -> None:
    weaker = replace(UNSUPPORTED, strength=0.0)
    assert failing_claim(assessment(1, SUPPORTED, UNSUPPORTED, CONTRADICTED)) is CONTRADICTED
    assert failing_claim(assessment(1, UNSUPPORTED, weaker)) is weaker
    assert failing_claim(assessment(1, SUPPORTED)) is None


def test_a_chunk_without_id_is_named_by_its_place() -> None:
    assert chunk_name(replace(sample(), chunks=(Chunk("text"), Chunk("more"))), 1) == "#2"
    assert chunk_name(sample(), None) == chunk_name(sample(), 99) == ""


def test_a_chunk_without_id_is_named_by_its_place_and_source() -> None:
    assert chunk_name(replace(sample(), chunks=(Chunk("text"), Chunk("more", source="price.md"))), 1) == "#2 (price.md)"
    assert chunk_name(replace(sample(), chunks=(Chunk("text", "a", source="price.md"),)), 0) == "a"


@pytest.mark.parametrize(
    ("finding", "sentence"),
    [
        (FINDING, 'answer says "90 days", chunk refund-policy#1 says "30 days"'),
        (
            replace(FINDING, claimed="", found=""),
            f'answer says "{CONTRADICTED.claim}", chunk refund-policy#1 says "{CONTRADICTED.quote}"',
        ),
        (replace(FINDING, claimed="", found="", claim=""), "chunk refund-policy#1 contradicts the answer"),
        (replace(FINDING, found="", quote=""), 'answer says "90 days", chunk refund-policy#1 contradicts it'),
        (
            Finding.of(assessment(1, UNSUPPORTED), 0.0),
            'answer says "We also send a voucher.", no chunk does',
        ),
        (Finding.of(assessment(1, SUPPORTED), 1.0), ""),
    ],
)
def test_a_finding_is_one_sentence(finding: Finding, sentence: str) -> None:
    assert sentence_of(finding) == sentence


def test_a_window_alert_says_value_n_interval_limit_and_what_is_usual() -> None:
    rule = WindowRule(name="r", metric="faithfulness", threshold=0.4)
    reading = Reading(Condition.BREACH, wilson(55, 100), 0.4, wilson(12, 100))
    assert summarize(rule, Case("shop", "lexical", reading, finding=FINDING)) == (
        "faithfulness of shop: 55% of 100 answers in 30m score below 0.85 (95% interval 45% to 64%, limit 40%, usually "
        '12%); worst: answer says "90 days", chunk refund-policy#1 says "30 days"'
    )


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (WindowRule(name="r", metric="faithfulness", threshold=0.4), "of 1 answer in"),
        (
            BurnRateRule(name="r", metric="faithfulness", objective=0.9, factor=1.0, long=60.0, short=5.0),
            "of 1 answer in",
        ),
        (CoverageRule(name="r"), "1 of 1 eligible trace got"),
        (EmptyRetrievalRule(name="r"), "1 of 1 retrieval in"),
        (TraceRule(name="r", metric="faithfulness"), "1 trace below"),
        (TraceRule(name="r", contradicted=True), "1 answer contradicts"),
    ],
    ids=lambda value: getattr(value, "kind_name", ""),
)
def test_one_is_said_in_the_singular(rule: RuleSettings, said: str) -> None:
    assert said in rule.sentence(Case("shop", "", Reading(Condition.BREACH, wilson(1, 1), 0.4), hits=1))


def test_a_trace_alert_leads_with_the_worst_and_counts_the_others() -> None:
    rule = TraceRule(name="r", contradicted=True)
    case = Case("shop", "lexical", Reading(Condition.BREACH), hits=37, finding=FINDING)
    assert summarize(rule, case).endswith('says "30 days" (37 answers contradict their chunks)')
    assert summarize(rule, replace(case, hits=1)).endswith('says "30 days"')


def test_a_description_tells_diagnosis_claim_and_quote() -> None:
    rule = TraceRule(name="r", contradicted=True)
    case = Case("shop", "lexical", Reading(Condition.BREACH), hits=1, cause="generation", finding=FINDING)
    told = describe(rule, case)
    assert "Diagnosis: generation; the chunks fit the question, the answer does not keep to them." in told
    assert f'Failing claim: "{CONTRADICTED.claim}".' in told
    assert "Chunk refund-policy#1:" in told


def test_a_reason_that_is_no_diagnosis_is_not_told_as_one() -> None:
    case = Case("shop", "", Reading(Condition.BREACH, wilson(1, 50)), cause="no_text")
    assert "Diagnosis" not in describe(CoverageRule(name="r"), case)


def test_links_hold_the_trace_id_and_nothing_else_of_the_trace() -> None:
    links = Links("https://watch.example.org/gw/", "https://tempo.example.org/trace/{trace_id}")
    cited = links.cite(replace(FINDING, trace_id='ab"/../{trace_id}'), "full")
    assert cited.evidence_url == "https://watch.example.org/gw/traces/ab%22%2F..%2F%7Btrace_id%7D"
    assert cited.trace_url == "https://tempo.example.org/trace/ab%22%2F..%2F%7Btrace_id%7D"


def test_texts_are_cut_and_redacted_when_they_travel() -> None:
    long = ClaimVerdict("write to jane@example.org " + "x" * 5000, Support.NOT_IN_CONTEXT)
    shown = show(Finding.of(assessment(1, long), 0.0), "full")
    assert len(shown.claim) == 300
    assert shown.claim.startswith("write to [e-mail] xxx")


def test_the_worst_traces_are_few_sorted_and_of_equals_the_later() -> None:
    worst = WorstTraces(limit=2)
    for number, badness in enumerate((0.2, 0.9, 0.5)):
        assert worst.wants(number * 20.0, badness)
        worst.add(number * 20.0, badness, replace(FINDING, trace_id=str(number)))
    assert [finding.trace_id for finding in worst.findings] == ["1", "2"]
    assert not worst.wants(41.0, 0.5)
    assert worst.wants(60.0, 0.5)
    worst.expire(30.0, keep_last=True)
    assert [finding.trace_id for finding in worst.findings] == ["2"]
    worst.expire(100.0, keep_last=True)
    assert len(worst.findings) == 1
    worst.expire(100.0, keep_last=False)
    assert worst.findings == ()
