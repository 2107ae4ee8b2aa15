import pytest
from pydantic import TypeAdapter

from evaluators.errors import PermanentError
from evaluators.judges.lexical import LexicalSettings
from evaluators.judges.openai import OpenAIJudge, OpenAISettings
from evaluators.judges.registry import JUDGES, JudgeSettings, build_lane, default_metrics, unanswered
from evaluators.lane_settings import LaneSettings
from evaluators.pool import PooledJudge


def test_a_judge_that_computes_works_in_processes_and_is_not_cached():
    lane = build_lane(LexicalSettings(name="local"), LaneSettings(concurrency=7))
    assert isinstance(lane.judge, PooledJudge)
    assert lane.judge.identity.name == "local"
    assert (lane.cached, lane.plan, lane.settings.concurrency) == (False, "combined", 7)


def test_a_judge_that_costs_is_cached_and_asked_as_planned():
    settings = OpenAISettings(model="m", api_key_env=None, base_url="http://127.0.0.1:1/v1", plan="separate")
    lane = build_lane(settings, LaneSettings())
    assert isinstance(lane.judge, OpenAIJudge)
    assert (lane.cached, lane.plan) == (True, "separate")


def test_a_missing_key_is_found_when_the_judge_is_built(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(PermanentError, match="OPENAI_API_KEY"):
        build_lane(OpenAISettings(model="m"), LaneSettings())


NEEDED = {
    "openai": {"model": "m"},
    "anthropic": {"model": "m"},
    "subprocess": {"command": ["true"]},
    "http": {"url": "http://127.0.0.1:1/"},
    "ragas": {"model": "m"},
    "deepeval": {"model": "m"},
}


def settings_of(name):
    return TypeAdapter(JudgeSettings).validate_python({"type": name, **NEEDED.get(name, {})})


@pytest.mark.parametrize("name", JUDGES)
def test_every_type_of_the_registry_is_in_the_union_of_settings(name):
    assert isinstance(settings_of(name), JUDGES[name].settings)


@pytest.mark.parametrize("name", JUDGES)
def test_the_metrics_computed_by_default_are_those_that_the_judge_answers(name):
    settings = settings_of(name)
    assert default_metrics(settings)
    assert unanswered(settings, default_metrics(settings)) == []


def test_a_metric_that_a_judge_cannot_answer_is_named():
    assert unanswered(LexicalSettings(), ("faithfulness", "rubric", "context_match")) == ["rubric"]
    assert unanswered(OpenAISettings(model="m"), ("rubric",)) == ["rubric"]
    assert unanswered(OpenAISettings(model="m", rubric=("Polite?",)), ("rubric",)) == []
