"""The demo tells the whole story, and points to nothing that is gone when it is read."""

import re
import subprocess
import sys
from io import StringIO

from rich.console import Console

from collector.demo.run import _next_steps
from collector.demo.show import Screen

EVALUATIONS = [
    {"metric": "faithfulness", "outcome": "scored", "value": 0.0},
    {"metric": "hallucination", "outcome": "scored", "value": 0.0},
    {"metric": "context_relevance", "outcome": "scored", "value": 0.3},
    {"metric": "context_precision", "outcome": "skipped", "reason": "no_claims"},
]


def screen(*, colours: bool = False) -> tuple[Screen, StringIO]:
    file = StringIO()
    return Screen(Console(file=file, width=120, force_terminal=colours, color_system="standard", highlight=False)), file


def test_the_demo_ends_well_and_lists_no_page_that_has_gone() -> None:
    command = [sys.executable, "-m", "collector", "demo", "--no-keep"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    told = done.stdout
    assert done.stderr == ""
    assert "ALERT contradicted_claim" in told
    after = told[told.index("ALERT contradicted_claim") :]
    assert "http://" not in after
    assert "groundwatch demo --keep" in after
    assert "make run" in after


def test_a_demo_that_keeps_running_lists_its_pages() -> None:
    shown, file = screen()
    _next_steps(shown, "http://127.0.0.1:9", keep=True)
    assert "http://127.0.0.1:9/traces" in file.getvalue()
    assert "http://127.0.0.1:9/metrics" in file.getvalue()
    assert "--keep" not in file.getvalue()


def test_only_scores_on_the_wrong_side_of_their_threshold_are_red() -> None:
    shown, file = screen(colours=True)
    shown.verdict({"trace_id": "ab" * 16, "assessments": [{"evaluations": EVALUATIONS, "claims": None}]})
    red = re.findall(r"\x1b\[1;31m([^\x1b]*)", file.getvalue())
    assert red == ["faithfulness 0.00"]
