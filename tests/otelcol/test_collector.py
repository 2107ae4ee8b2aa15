from pathlib import Path

import pytest

from tests.otelcol import collector
from tests.otelcol.collector import require_collector


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(collector, "_BUILT", tmp_path / "manifest" / "otelcol")
    monkeypatch.setenv("PATH", "/nonexistent")


def test_without_a_collector_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROUNDWATCH_REQUIRE_SERVERS", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"python -m tests\.otelcol\.collector fetch"):
        require_collector()


def test_a_missing_collector_is_a_failure_where_servers_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDWATCH_REQUIRE_SERVERS", "1")
    with pytest.raises(pytest.fail.Exception, match="no OpenTelemetry Collector"):
        require_collector()


def test_a_go_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["collector", "fetch"])
    with pytest.raises(SystemExit, match=r"needs Go 1\.21 or newer"):
        collector.main()
