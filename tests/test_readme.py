"""What the README shows works as it stands there."""

import re
from pathlib import Path

import pytest

from alerts.rules.defaults import DEFAULT_RULES
from collector.config import parse
from evaluators.metrics import METRICS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_configuration_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOOK_SECRET", "PD_KEY", "SLACK_TOKEN"):
        monkeypatch.setenv(name, "a secret")
    (text,) = (block for block in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL) if block.startswith("receivers:"))
    config = parse(text)
    assert [judge.judge.name for judge in config.judges] == ["lexical", "gpt"]
    assert [rule.name for rule in config.alerts.rules] == [
        "contradicted_claim",
        "support_bot_faithfulness",
        "shop_quality",
    ]


@pytest.mark.parametrize("name", [*METRICS, *(rule.name for rule in DEFAULT_RULES)])
def test_every_metric_and_built_in_rule_is_named(name: str) -> None:
    assert f"`{name}`" in README


@pytest.mark.parametrize("target", re.findall(r"\]\((?!http)([^)#]+)\)", README))
def test_every_link_leads_somewhere(target: str) -> None:
    assert (ROOT / target).exists()
