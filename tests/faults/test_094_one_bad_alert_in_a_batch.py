"""Row 94: no alert that Alertmanager would refuse is ever sent, and a refused batch is not tried for ever."""

import re
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alerts.encoding import to_json
from alerts.notifiers.alertmanager import AlertmanagerSettings, to_alert
from alerts.rules import Severity
from alerts.signals import Signal, SignalState
from evaluators.clock import SystemClock
from evaluators.errors import PermanentError
from tests.contracts.test_notifier import signal
from tests.fakes import FakeClock, ReceiverStub, StubReply
from tests.servers import alertmanager, get_json

TEXT = st.text(st.characters(), max_size=300)


@given(TEXT, TEXT, TEXT, st.floats(0, 4e9), st.floats(0, 4e9) | st.none(), st.sampled_from(SignalState))
def test_every_alert_is_valid(
    service: str, judge: str, summary: str, starts_at: float, ends_at: float | None, state: SignalState
) -> None:
    made = Signal(
        rule="r",
        severity=Severity.PAGE,
        service=service,
        judge=judge,
        state=state,
        starts_at=starts_at,
        ends_at=ends_at,
        summary=summary,
    )
    alert = orjson.loads(to_json(to_alert(made, {"env": "test", "empty": ""}, now=1_800_000_000.0)))
    assert alert["labels"]
    assert all(re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name) for name in (*alert["labels"], *alert["annotations"]))
    assert all(alert["labels"].values())
    assert alert["endsAt"] >= alert["startsAt"]


async def test_a_real_alertmanager_takes_a_batch_with_hostile_texts(tmp_path: Path) -> None:
    async with alertmanager(tmp_path) as url:
        (notifier,) = AlertmanagerSettings.model_validate({"type": "alertmanager", "urls": [url]}).build(SystemClock())
        texts = ["\ud800", "new\nline", '{{ template "x" }}', "\x00", "", "x" * 5000]
        await notifier.send([signal(f"service {n}{text}", summary=text) for n, text in enumerate(texts)])
        await notifier.aclose()
        assert len(await get_json(f"{url}/api/v2/alerts")) == len(texts)


async def test_a_refused_batch_is_final() -> None:
    async with ReceiverStub(StubReply(status=400)) as receiver:
        settings = AlertmanagerSettings.model_validate({"type": "alertmanager", "urls": [receiver.url]})
        (notifier,) = settings.build(FakeClock())
        with pytest.raises(PermanentError, match="HTTP 400"):
            await notifier.send([signal()])
        await notifier.aclose()
