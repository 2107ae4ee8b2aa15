"""kill -9 and a new process: the alert that was told is not told again, and still goes on."""

import signal
import time
import urllib.request
from pathlib import Path

import orjson

from collector.demo.corpus import TURNS
from tests.collector.test_service import request_of
from tests.monitor import PATIENCE_S, Monitor, monitor


def lines(path: Path) -> list[dict[str, object]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def post(running: Monitor, turn: int) -> None:
    headers = {"Content-Type": "application/x-protobuf"}
    request = urllib.request.Request(f"{running.http}/v1/traces", request_of(turn), headers)
    with urllib.request.urlopen(request, timeout=10) as response:
        assert response.status == 200


def wait_for(path: Path, count: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while len(lines(path)) < count:
        assert time.monotonic() < deadline, f"{len(lines(path))} signals, not {count}"
        time.sleep(0.1)


def test_a_killed_monitor_goes_on_where_it_was(tmp_path: Path) -> None:
    told = tmp_path / "signals.jsonl"
    alerts = {"outbox_path": str(tmp_path / "outbox.db"), "notifiers": [{"type": "jsonlines", "path": str(told)}]}
    with monitor(tmp_path, alerts=alerts, assembly={"grace_s": 0.3}) as first:
        for turn in range(len(TURNS)):
            post(first, turn)
        wait_for(told, 1)
        time.sleep(1.0)
        before = lines(told)
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
    with monitor(tmp_path, alerts=alerts, assembly={"grace_s": 0.3}) as second:
        for turn in range(len(TURNS)):
            post(second, turn)
        time.sleep(4.0)
        metrics = second.get("/metrics")
        assert second.stop() == 0
    assert lines(told) == before
    assert 'groundwatch_rule_firing{rule="contradicted_claim",service="shop-assistant"} 1.0' in metrics
