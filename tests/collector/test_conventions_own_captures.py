"""Bodies that the real libraries exported from the apps in tests/captures/apps are read as their key says."""

import pytest

from collector.conventions.reader import TraceReader
from tests.captures.apps.shop import CASES
from tests.captures.own.key import KEY, OWN, differences, samples


@pytest.mark.parametrize("app", KEY)
def test_every_trace_of_an_app_is_read_exactly(app: str) -> None:
    assert differences(app) == []


def test_every_app_has_bodies_a_key_and_pinned_versions() -> None:
    apps = OWN.parent / "apps"
    pinned = {path.stem for path in (apps / "requirements").glob("*.txt")}
    scripts = {path.parent.name for path in apps.glob("*/package.json")}
    assert set(KEY) == pinned | scripts == {path.name for path in OWN.iterdir() if any(path.glob("*.pb"))}
    for path in (apps / "requirements").glob("*.txt"):
        assert (apps / f"{path.stem}.py").exists()
        assert all("==" in line for line in path.read_text().splitlines())


@pytest.mark.parametrize("app", [app for app, expected in KEY.items() if expected.rule])
def test_without_its_rule_a_tool_is_no_retrieval_but_is_pointed_out(app: str) -> None:
    read = samples(app, TraceReader())
    assert [sample.readiness for sample in read] == ["no_retrieval"] * len(CASES)
    assert any("operator rule" in sample.reason for sample in read)
