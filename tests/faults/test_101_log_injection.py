"""Row 101: new lines and terminal sequences in attributes forge no log line and no second signal."""

import io
import logging
from dataclasses import replace
from pathlib import Path

import orjson

from alerts.notifiers.jsonlines import JsonLinesSettings
from alerts.notifiers.wording import text_of, title_of
from alerts.rules import TraceRule
from collector.logs import OneLine
from evaluators.errors import PermanentError
from evaluators.facets import ClaimSupport
from tests.alerts.engines import bench
from tests.fakes import FakeClock, ScriptedNotifier
from tests.verdicts import CONTRADICTED, contradicted

FORGED = "shop\n2026-01-01 CRITICAL all is well\x1b[2J\x1b]0;owned\x07\r\n\u2028"


async def test_a_forged_service_name_stays_on_one_line_of_the_log() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(OneLine("%(levelname)s %(message)s"))
    logger = logging.getLogger("alerts.pipeline")
    logger.addHandler(handler)
    try:
        notifier = ScriptedNotifier(PermanentError(f"refused {FORGED}"), name=FORGED)
        b = bench(TraceRule(name="r", contradicted=True), notifier=notifier)
        b.observe(contradicted(1, service=FORGED))
        await b.tick()
    finally:
        logger.removeHandler(handler)
    (line,) = stream.getvalue().removesuffix("\n").split("\n")
    assert line.startswith("WARNING notifier shop | 2026-01-01 CRITICAL")
    assert line.isprintable()


async def test_a_forged_text_is_one_json_line_and_one_line_of_a_message(tmp_path: Path) -> None:
    path = tmp_path / "signals.jsonl"
    (lines,) = JsonLinesSettings(type="jsonlines", path=str(path)).build(FakeClock())
    b = bench(TraceRule(name="r", contradicted=True), others=(lines,))
    claim = replace(CONTRADICTED, claim=FORGED, quote=FORGED, conflict=None)
    made = contradicted(1, service=FORGED)
    b.observe(replace(made, answers=replace(made.answers, claim_support=ClaimSupport((claim,)))))
    (signal,) = await b.tick()
    (line,) = path.read_bytes().splitlines()
    assert orjson.loads(line)["rule"] == "r"
    assert title_of([signal], 250).isprintable()
    assert all(part.isprintable() for part in text_of([signal], 4000).split("\n"))
    assert len(text_of([signal], 4000).split("\n")) == 4
