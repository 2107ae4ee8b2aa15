import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from alerts.backends import TraceBackend
from alerts.explain import Links
from alerts.notifiers.alertmanager import to_alert
from alerts.notifiers.wording import lines_of, links_of
from alerts.rules import RuleSettings, TraceRule
from alerts.rules.defaults import DEFAULT_RULES
from alerts.settings import AlertSettings
from tests.alerts.engines import bench
from tests.verdicts import contradicted, trace_id


@pytest.mark.parametrize(
    ("backend", "url"),
    [
        ({"type": "jaeger", "url": "https://jaeger.example.org/ui/"}, "https://jaeger.example.org/ui/trace/{trace_id}"),
        ({"type": "phoenix", "url": "http://phoenix:6006"}, "http://phoenix:6006/redirects/traces/{trace_id}"),
        (
            {"type": "langfuse", "url": "https://langfuse.example.org", "project": "cl1"},
            "https://langfuse.example.org/project/cl1/traces/{trace_id}",
        ),
    ],
)
def test_each_backend_has_its_own_address_of_a_trace(backend: dict[str, str], url: str) -> None:
    assert TraceBackend.model_validate(backend).template == url


def test_tempo_is_opened_in_grafana_with_its_data_source_and_the_trace() -> None:
    backend = TraceBackend(type="tempo", url="https://grafana.example.org", datasource="abc")
    parts = urlsplit(backend.template.replace("{trace_id}", trace_id(7)))
    (panes,) = parse_qs(parts.query)["panes"]
    (pane,) = json.loads(panes).values()
    assert parts.path == "/explore"
    assert pane["datasource"] == pane["queries"][0]["datasource"]["uid"] == "abc"
    assert pane["queries"][0]["query"] == trace_id(7)


async def test_an_alert_links_trace_and_runbook() -> None:
    settings = {
        "trace_backend": {"type": "jaeger", "url": "http://jaeger"},
        "runbook_url": "https://wiki.example.org/runbooks/{rule}",
    }
    checked = AlertSettings.model_validate(settings)
    b = bench(
        TraceRule(name="r", contradicted=True), trace_backend=checked.trace_backend, runbook_url=checked.runbook_url
    )
    b.observe(contradicted(1))
    (signal,) = await b.tick()
    assert signal.traces[0].trace_url == f"http://jaeger/trace/{trace_id(1)}"
    assert signal.annotations["runbook_url"] == "https://wiki.example.org/runbooks/r"


@pytest.mark.parametrize("rule", DEFAULT_RULES, ids=lambda rule: rule.name)
def test_a_built_in_rule_names_its_page_in_the_repository_and_the_page_exists(rule: RuleSettings) -> None:
    path = Links("http://127.0.0.1:9464").runbook(rule)
    assert path == f"deploy/docs/runbooks/{rule.name}.md"
    assert (Path(__file__).parents[2] / path).is_file()


async def test_a_page_in_the_repository_travels_as_text_and_not_as_a_link() -> None:
    b = bench()
    b.observe(contradicted(1))
    (signal,) = await b.tick()
    path = "deploy/docs/runbooks/contradicted_claim.md"
    assert signal.to_json()["runbook"] == path
    annotations = to_alert(signal, {}, 0.0)["annotations"]
    assert isinstance(annotations, dict)
    assert (annotations["runbook"], annotations.get("runbook_url")) == (path, None)
    assert f"Runbook: {path}" in lines_of(signal)
    assert "runbook" not in dict(map(reversed, links_of(signal)))


async def test_a_rule_of_ones_own_has_no_page_in_the_repository() -> None:
    b = bench(TraceRule(name="mine", contradicted=True))
    b.observe(contradicted(1))
    (signal,) = await b.tick()
    assert signal.runbook == ""


async def test_a_rule_with_a_runbook_of_its_own_keeps_it() -> None:
    rule = TraceRule(name="r", contradicted=True, runbook="https://own.example.org")
    b = bench(rule, runbook_url="https://wiki.example.org/{rule}")
    b.observe(contradicted(1))
    (signal,) = await b.tick()
    assert signal.runbook == "https://own.example.org"
