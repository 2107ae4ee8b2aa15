"""Row 102: text of a trace is never evaluated as a template, whatever it looks like."""

from dataclasses import replace

import pytest

from alerts.rules import TraceRule
from evaluators.facets import ClaimSupport, Conflict
from tests.alerts.engines import bench
from tests.verdicts import CONTRADICTED, contradicted, trace_id

TEMPLATES = ["{{ .Labels.service }}", "{trace_id}", "{0.__class__}", "%(service)s", "${HOME}", "{% raw %}", "$(id)"]


@pytest.mark.parametrize("text", TEMPLATES)
async def test_a_claim_arrives_as_it_was_written(text: str) -> None:
    claim = replace(CONTRADICTED, claim=text, quote=text, conflict=Conflict("number", text, text))
    made = contradicted(1, service=text)
    b = bench(TraceRule(name="r", contradicted=True), trace_url="http://tempo/trace/{trace_id}")
    b.observe(replace(made, answers=replace(made.answers, claim_support=ClaimSupport((claim,)))))
    (signal,) = await b.tick()
    assert signal.summary == f'faithfulness of {text}: answer says "{text}", chunk refund-policy#1 says "{text}"'
    assert signal.traces[0].finding.claim == text
    assert signal.traces[0].trace_url == f"http://tempo/trace/{trace_id(1)}"
    assert signal.labels["service"] == text
