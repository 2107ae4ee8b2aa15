import pytest

from tests.servers import require


def test_a_missing_server_is_a_skip_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROUNDWATCH_REQUIRE_SERVERS", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(pytest.skip.Exception, match=r"not installed: prometheus \(apt-get install prometheus\)"):
        require("prometheus", "promtool")


def test_a_missing_server_is_a_failure_where_servers_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDWATCH_REQUIRE_SERVERS", "1")
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(pytest.fail.Exception, match="not installed: prometheus-alertmanager"):
        require("prometheus-alertmanager")
